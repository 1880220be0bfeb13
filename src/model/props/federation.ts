/**
 * Names `service.namespace.<name>.svc.<cluster domain>` of a federation: answered here where the Service is here, else by
 * the federation, as `service.namespace.<name>.svc.<zone>.<region>.<domain>`.
 */
export interface FederationOptions {
  /** The federation's name: an RFC 1123 label that no namespace and no tenant has as its name. */
  readonly name: string;

  /** The DNS domain of the federation, which the upstream servers or a stub domain answer. */
  readonly domain: string;

  /** This cluster's region, as the federation's names have it. */
  readonly region: string;

  /** This cluster's zone, as the federation's names have it. */
  readonly zone: string;
}
