/** How a namespace belongs to its tenant. */
export type Membership = "listed" | "prefix" | "label";

/** How much of other tenants a tenant's pods see in DNS. */
export type Isolation = "open" | "soft" | "hard";

/** Tenants, and the names `service.namespace.tenant.svc.<domain>` that their Services have. */
export interface TenancyOptions {
  /**
   * The tenants.
   * @minItems 1
   */
  readonly tenants: readonly Tenant[];

  /**
   * How a namespace belongs to its tenant. `listed`: each tenant lists its namespaces. `prefix`: namespaces are named
   * `<tenant>-<namespace>`, those made later included. `label`: a label of the namespace names the tenant; CoreDNS
   * follows it by a watch of its own for each tenant, so this is for a few tenants.
   * @default listed
   */
  readonly membership?: Membership;

  /**
   * The label of a namespace whose value is its tenant, with `membership: label`.
   * @default - none
   */
  readonly namespaceLabel?: string;

  /**
   * A tenant for what belongs to the cluster: `kube-dns.kube-system.<name>.svc.<domain>` answers, for every tenant.
   * @default - none
   */
  readonly systemTenant?: SystemTenant;

  /**
   * How much of other tenants a tenant's pods see in DNS. `open`: everything, their search list reaches other tenants.
   * `soft`: their search list stays inside the tenant, full names still cross. `hard`: a tenant's names answer only to pods
   * of its own namespaces; CoreDNS 1.14.7, no node cache, no reverse names.
   * @default open
   */
  readonly isolation?: Isolation;
}

/** A tenant. */
export interface Tenant {
  /** An RFC 1123 label that no namespace has as its name. */
  readonly name: string;

  /**
   * Its namespaces, with `membership: listed`.
   * @default - those that `membership` says
   * @minItems 1
   */
  readonly namespaces?: readonly string[];
}

/** The tenant of the cluster's own Services. */
export interface SystemTenant {
  /** An RFC 1123 label that no namespace has as its name. */
  readonly name: string;

  /**
   * Its namespaces, whatever `membership` says for others.
   * @default ["default","kube-system"]
   * @minItems 1
   */
  readonly namespaces?: readonly string[];
}
