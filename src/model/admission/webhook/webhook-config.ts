import type { Tenancy } from "../../tenancy/membership";
import type { PlacementGuard } from "../placement-guard";
import type { AllowedRequesters, ProtectedObjects } from "../protected-objects";

/** What `agent webhook` is told: the file that the construct writes. */
export interface WebhookConfig {
  readonly version: 1;
  /** Where the API server asks. */
  readonly port: number;
  /** Metrics, liveness and readiness, without TLS. */
  readonly probePort: number;
  readonly certificates: SelfManagedCertificates | CertificateFiles;
  /** Needed by `pods` and `namespaces`. */
  readonly tenancy?: Tenancy;
  /** Gives pods the DNS configuration of their tenant. */
  readonly pods?: { readonly clusterDomain: string; readonly nameservers: readonly string[] };
  readonly namespaces?: { readonly allowed: AllowedRequesters };
  readonly protectedObjects?: ProtectedObjects;
  readonly placementGuard?: PlacementGuard;
}

/** Own authority and certificate, in a Secret that the replicas share. */
export interface SelfManagedCertificates {
  readonly kind: "self-managed";
  /** It is applied empty: the right to create one cannot be limited to a name. */
  readonly secret: { readonly namespace: string; readonly name: string };
  readonly dnsNames: readonly string[];
  /** Webhook configurations whose caBundle is kept in step. */
  readonly configurations: readonly WebhookConfigurationReference[];
}

/** `tls.crt` and `tls.key` that somebody else renews. */
export interface CertificateFiles {
  readonly kind: "files";
  readonly folder: string;
}

export interface WebhookConfigurationReference {
  readonly resource: "mutatingwebhookconfigurations" | "validatingwebhookconfigurations";
  readonly name: string;
}

/** Where the API server asks for what. */
export const webhookPaths = {
  pods: "/pods",
  namespaces: "/namespaces",
  protectedObjects: "/protected-objects",
  placement: "/placement",
} as const;

/**
 * Paths of the pods' questions: a review does not hold the labels of the namespace, so where a label names the tenant, the API server
 * selects by it and asks at the tenant's own path.
 */
export function podPath(tenant?: string): string {
  return tenant === undefined ? webhookPaths.pods : `${webhookPaths.pods}/${tenant}`;
}
