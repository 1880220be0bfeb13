import type { FederationOptions } from "./props/federation";

// Where names of a federation are; before each stands `service.namespace`.

/** Where pods of a cluster ask. */
export function askedZone({ name }: FederationOptions, clusterDomain = "cluster.local"): string {
  return `${name}.svc.${clusterDomain}`;
}

/** Where the federation's servers answer for the Services of a cluster. */
export function publishedZone({ name, zone, region, domain }: FederationOptions): string {
  return `${name}.svc.${zone}.${region}.${domain.replace(/\.$/, "")}`;
}
