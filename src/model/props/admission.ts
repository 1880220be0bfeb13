import type { NodePlacement } from "./placement";
import type { ObjectName, UserName } from "./values";

/** What the API server sets on pods of tenants, and what it refuses in order to protect the cluster's DNS. */
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
