import type { FederationOptions } from "../props/federation";

// The zones of a federation; a name in them starts with `service.namespace`.

/** The zone in which pods of a cluster ask. */
export function askedZone({ name }: Pick<FederationOptions, "name">, domain: string): string {
  return `${name}.svc.${domain}`;
}

/** The zone in which the federation's servers answer for the Services of a cluster. */
export function publishedZone({ name, zone, region, domain }: FederationOptions): string {
  return `${name}.svc.${zone}.${region}.${domain.replace(/\.$/, "")}`;
}
