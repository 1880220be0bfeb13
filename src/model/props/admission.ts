import type { NodePlacement } from "./placement";

/** What the API server sets on pods of tenants, and what it refuses so that the cluster's DNS stays whole. */
export interface AdmissionOptions {
  /**
   * Users who may change Corefiles and DNS Services, and the tenant of a namespace. The service account of your GitOps
   * controller belongs here: `system:serviceaccount:argocd:argocd-application-controller`,
   * `system:serviceaccount:flux-system:kustomize-controller`.
   * @minItems 1
   */
  readonly allowedUsers: readonly string[];

  /**
   * Groups who may do the same.
   * @default []
   */
  readonly allowedGroups?: readonly string[];

  /**
   * What decides. `policies`: the API server itself where `kubernetesVersion` has the means (1.30; for the pods' DNS
   * configuration 1.36), and the webhook for what is left. `webhook`: the webhook whatever the version.
   * @default policies
   */
  readonly enforcement?: "policies" | "webhook";

  /**
   * Refuse DNS workloads whose placement matches no node of the cluster. No policy can know the nodes: this needs the
   * webhook.
   * @default false
   */
  readonly placementGuard?: boolean;

  /**
   * The webhook, where one is needed.
   * @default - three replicas with certificates of their own
   */
  readonly webhook?: WebhookOptions;
}

/** The webhook of admission: `agent webhook`, a Deployment. */
export interface WebhookOptions {
  /**
   * Who makes its certificates. `self-managed`: the webhook, with nothing to install, but with the right to patch its own
   * webhook configurations. `cert-manager`: cert-manager, which has to be in the cluster, and is the better choice there.
   * @default self-managed
   */
  readonly certificates?: "self-managed" | "cert-manager";

  /**
   * An Issuer in kube-system or a ClusterIssuer of yours, with `certificates: cert-manager`.
   * @default - an authority of its own, made by cert-manager
   */
  readonly issuerRef?: IssuerReference;

  /**
   * Pods of the Deployment.
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
  readonly name: string;

  /**
   * Whether it is one of the namespace or of the cluster.
   * @default Issuer
   */
  readonly kind?: "Issuer" | "ClusterIssuer";
}
