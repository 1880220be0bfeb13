import type { Tenancy } from "../../tenancy/membership";
import type { PlacementGuard } from "../placement-guard";
import type { PodOptions } from "../pod-options";
import type { AllowedRequesters, ProtectedObjects } from "../protected-objects";

/** Configuration of `agent webhook`: the file that the construct writes. */
export interface WebhookConfig {
  readonly version: 1;
  /** The port for the API server's requests. */
  readonly port: number;
  /** Metrics, liveness and readiness, without TLS. */
  readonly probePort: number;
  readonly certificates: SelfManagedCertificates | CertificateFiles;
  /** Needed by `pods` and `namespaces`. */
  readonly tenancy?: Tenancy;
  /** Sets the DNS configuration of tenants' pods. */
  readonly pods?: { readonly clusterDomain: string; readonly nameservers: readonly string[] };
  /** Sets options of pods of all namespaces. */
  readonly podOptions?: PodOptions;
  readonly namespaces?: { readonly allowed: AllowedRequesters };
  readonly protectedObjects?: ProtectedObjects;
  readonly placementGuard?: PlacementGuard;
}

/** Our own CA and certificate, in a Secret that the replicas share. */
export interface SelfManagedCertificates {
  readonly kind: "self-managed";
  /** It is applied empty: the permission to create a Secret cannot be limited to a name. */
  readonly secret: { readonly namespace: string; readonly name: string };
  readonly dnsNames: readonly string[];
  /** Webhook configurations whose caBundle the webhook keeps current. */
  readonly configurations: readonly WebhookConfigurationReference[];
}

/** `tls.crt` and `tls.key`, which something else renews. */
export interface CertificateFiles {
  readonly kind: "files";
  readonly folder: string;
}

export interface WebhookConfigurationReference {
  readonly resource: "mutatingwebhookconfigurations" | "validatingwebhookconfigurations";
  readonly name: string;
}

/** The path for each kind of request. */
export const webhookPaths = {
  pods: "/pods",
  namespaces: "/namespaces",
  protectedObjects: "/protected-objects",
  placement: "/placement",
} as const;

/**
 * Paths for pods: a review does not include the namespace's labels, so if a label names the tenant, the API server
 * selects by it and asks at the tenant's own path.
 */
export function podPath(tenant?: string): string {
  return tenant === undefined ? webhookPaths.pods : `${webhookPaths.pods}/${tenant}`;
}
