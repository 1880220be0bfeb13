import type { NodePlacement } from "./placement";
import type { NamespaceName, ObjectName, UserName } from "./values";

/** What the API server sets on pods, and what it refuses in order to protect the cluster's DNS. */
export interface AdmissionOptions {
  /**
   * Users who may change Corefiles and DNS Services, and a namespace's tenant. Include the account with which your
   * GitOps controller reaches this cluster; for Argo CD in another cluster, it is not Argo CD's own. docs/gitops.md
   * lists them.
   * @minItems 1
   */
  readonly allowedUsers: readonly UserName[];

  /**
   * Groups that may do the same.
   * @default []
   */
  readonly allowedGroups?: readonly UserName[];

  /**
   * Where decisions are made. `policies`: in the API server itself, as far as `kubernetesVersion` allows (1.30; for the
   * pods' DNS configuration 1.36), and the rest in the webhook. `webhook`: in the webhook, whatever the version.
   * @default policies
   */
  readonly enforcement?: "policies" | "webhook";

  /**
   * Options of the resolver that pods of all namespaces get when they are created, as in their `dnsConfig`. An option of
   * the pod's own wins, and so does the `ndots` of its tenant. Pods with `dnsPolicy` `None` or `Default`, pods on the
   * host's network without `ClusterFirstWithHostNet`, Windows pods, static pods, and pods of kube-system and
   * kube-node-lease stay as they are. docs/search-path.md says what a lower `ndots` saves and costs.
   * @default - none
   */
  readonly podDNSConfig?: PodDNSConfig;

  /**
   * Refuse DNS workloads whose placement matches no node of the cluster. Policies cannot read nodes, so this needs the
   * webhook.
   * @default false
   */
  readonly placementGuard?: boolean;

  /**
   * The webhook, if one is needed.
   * @default - three replicas with certificates of their own
   */
  readonly webhook?: WebhookOptions;
}

/** What pods of all namespaces get in their `dnsConfig`. */
export interface PodDNSConfig {
  /** Options of the resolver, at least one. */
  readonly options: ResolverOptions;

  /**
   * Namespaces whose pods get none of `options`.
   * @default []
   */
  readonly excludedNamespaces?: readonly NamespaceName[];
}

/**
 * Options of the resolver, by their names in resolv.conf(5). musl (Alpine) knows `ndots`, `timeout` and `attempts`; other
 * resolvers than glibc may know fewer of the others.
 * @minProperties 1
 */
export interface ResolverOptions {
  /**
   * Names with fewer dots are tried with the search domains first; the kubelet's is 5. Below 5, names such as
   * `web.prod.svc` go outside first, and musl does not find them at all.
   * @default - the kubelet's
   * @minimum 1
   * @maximum 15
   * @asType integer
   */
  readonly ndots?: number;

  /**
   * Seconds until a query is sent again; glibc's is 5.
   * @default - the resolver's
   * @minimum 1
   * @maximum 30
   * @asType integer
   */
  readonly timeout?: number;

  /**
   * How often a query is sent; glibc's is 2.
   * @default - the resolver's
   * @minimum 1
   * @maximum 5
   * @asType integer
   */
  readonly attempts?: number;

  /**
   * Accept answers over UDP that are longer than 512 bytes (EDNS0).
   * @default - not set
   */
  readonly edns0?: boolean;

  /**
   * Do not ask for IPv6 addresses; glibc 2.36. Not where `clusterDNS` has only IPv6.
   * @default - not set
   */
  readonly "no-aaaa"?: boolean;

  /**
   * Ask for IPv4 and IPv6 addresses one after the other.
   * @default - not set
   */
  readonly "single-request"?: boolean;

  /**
   * Ask for IPv4 and IPv6 addresses from a socket each, once one of two answers was lost.
   * @default - not set
   */
  readonly "single-request-reopen"?: boolean;

  /**
   * Ask over TCP.
   * @default - not set
   */
  readonly "use-vc"?: boolean;
}

/** The admission webhook: `agent webhook`, a Deployment. */
export interface WebhookOptions {
  /**
   * Where its certificates come from. `self-managed`: the webhook itself, with nothing to install, but with permission
   * to patch its own webhook configurations. `cert-manager`: the better choice if the cluster has it.
   * @default self-managed
   */
  readonly certificates?: "self-managed" | "cert-manager";

  /**
   * Your own Issuer in kube-system or ClusterIssuer, for `certificates: cert-manager`. It must put its CA into the
   * Secret's `ca.crt`, as ACME issuers do not: see docs/webhook.md.
   * @default - a CA of its own, created with cert-manager
   */
  readonly issuerRef?: IssuerReference;

  /**
   * Replicas of the Deployment.
   * @default 3
   * @minimum 1
   * @maximum 20
   * @asType integer
   */
  readonly replicas?: number;

  /**
   * Which nodes its pods run on.
   * @default - untainted Linux nodes
   */
  readonly nodePlacement?: NodePlacement;
}

/** An issuer of cert-manager. */
export interface IssuerReference {
  /** Its name. */
  readonly name: ObjectName;

  /**
   * Whether it belongs to the namespace or the cluster.
   * @default Issuer
   */
  readonly kind?: "Issuer" | "ClusterIssuer";
}
