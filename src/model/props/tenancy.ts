import type { LabelKey, NamespaceName } from "./values";

/** How namespaces are assigned to tenants. */
export type Membership = "listed" | "prefix" | "label";

/** How much of other tenants a tenant's pods see in DNS. */
export type Isolation = "open" | "soft" | "hard";

/** Tenants, and the names `service.namespace.tenant.svc.<domain>` of their Services. */
export interface TenancyOptions {
  /**
   * The tenants.
   * @minItems 1
   */
  readonly tenants: readonly Tenant[];

  /**
   * How namespaces are assigned to tenants. `listed`: each tenant lists its namespaces. `prefix`: namespaces are named
   * `<tenant>-<namespace>`, including future ones. `label`: a label of the namespace names the tenant; CoreDNS needs a
   * watch per tenant to follow it, so this suits a few tenants.
   * @default listed
   */
  readonly membership?: Membership;

  /**
   * The namespace label whose value is the tenant, with `membership: label`.
   * @default - none
   */
  readonly namespaceLabel?: LabelKey;

  /**
   * A tenant for what belongs to the cluster: `kube-dns.kube-system.<name>.svc.<domain>` answers for every tenant.
   * @default - none
   */
  readonly systemTenant?: SystemTenant;

  /**
   * How much of other tenants a tenant's pods see in DNS. `open`: everything; their search list reaches other tenants.
   * `soft`: their search list stays inside the tenant, but full names still cross. `hard`: a tenant's names are
   * answered only for pods of its own namespaces; needs CoreDNS 1.14.7, Kubernetes 1.30 and no
   * node cache, and leaves out reverse names.
   * @default open
   */
  readonly isolation?: Isolation;

  /**
   * Whether admission gives the tenant's search list and `ndots` to each of its pods, no matter what DNS options the
   * pod has. `false`: pods with `dnsPolicy: None` keep their own, those with `Default` or on the host's network keep
   * the node's, and a pod's own `ndots` and search domains are kept. `true`: of a pod's own, only nameservers, search
   * domains outside the cluster domain, and other options stay, after the tenant's. Pods of kube-system and
   * kube-node-lease, and static pods, stay as they are.
   * @default false
   */
  readonly strict?: boolean;
}

/** A tenant. */
export interface Tenant {
  /** An RFC 1123 label that is not the name of a namespace. */
  readonly name: string;

  /**
   * Its namespaces, with `membership: listed`.
   * @default - those that `membership` says
   * @minItems 1
   */
  readonly namespaces?: readonly NamespaceName[];
}

/** The tenant of the cluster's own Services. */
export interface SystemTenant {
  /** An RFC 1123 label that is not the name of a namespace. */
  readonly name: string;

  /**
   * Its namespaces, whatever `membership` says about others.
   * @default ["default","kube-system"]
   * @minItems 1
   */
  readonly namespaces?: readonly NamespaceName[];
}
