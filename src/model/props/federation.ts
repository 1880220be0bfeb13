import type { LowerCaseName } from "./values";

/**
 * Names `service.namespace.<name>.svc.<cluster domain>` of a federation: answered here if the Service is here, else by
 * the federation, as `service.namespace.<name>.svc.<zone>.<region>.<domain>`.
 */
export interface FederationOptions {
  /** The federation's name: an RFC 1123 label that is not the name of a namespace or tenant. */
  readonly name: string;

  /** The DNS domain of the federation, which the upstream servers or a stub domain answer. */
  readonly domain: LowerCaseName;

  /** This cluster's region, as it appears in the federation's names. */
  readonly region: LowerCaseName;

  /** This cluster's zone, as it appears in the federation's names. */
  readonly zone: LowerCaseName;
}
