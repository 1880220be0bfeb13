import type { APIServerURL, NamespaceName, ObjectName, RepositoryFolder, Revision } from "./values";

/**
 * Objects with which Argo CD or Flux applies what is rendered, in `<cluster>/gitops/argocd/` or `<cluster>/gitops/flux/` of the output folder. Only the
 * command line renders them. One of the two; to share it among clusters, set it in a defaults file.
 * @minProperties 1
 */
export interface GitOpsOptions {
  /**
   * Argo CD: an AppProject and an Application.
   * @default - none
   */
  readonly argocd?: ArgoCdOptions;

  /**
   * Flux: a Kustomization for each component, in apply order, and one that keeps these themselves.
   * @default - none
   */
  readonly flux?: FluxOptions;
}

/** The Application of Argo CD, and what it may do. Run with Argo CD 3.5. */
export interface ArgoCdOptions {
  /** URL of the repository with the manifests, as Argo CD reads it. */
  readonly repoURL: string;

  /**
   * Branch, tag or commit.
   * @default HEAD
   */
  readonly targetRevision?: Revision;

  /**
   * The output folder, as a path in the repository.
   * @default dist
   */
  readonly folder?: RepositoryFolder;

  /**
   * Namespace of Argo CD.
   * @default argocd
   */
  readonly namespace?: NamespaceName;

  /**
   * URL of the cluster's API server, as Argo CD knows the cluster.
   * @default https://kubernetes.default.svc
   */
  readonly server?: APIServerURL;
}

/**
 * The Kustomizations of Flux, and what they read. With `authoritativeDNS.autoscaler`, Flux must be 2.9 or newer
 * (kustomize-controller 1.9).
 */
export interface FluxOptions {
  /**
   * The source with the manifests, in the namespace of Flux.
   * @default - the GitRepository of `flux bootstrap`
   */
  readonly source?: FluxSource;

  /**
   * The output folder, as a path in the source; `.` for an artifact that holds nothing else.
   * @default dist
   */
  readonly folder?: RepositoryFolder;

  /**
   * Namespace of Flux.
   * @default flux-system
   */
  readonly namespace?: NamespaceName;
}

/** A source of Flux. */
export interface FluxSource {
  /**
   * Its kind.
   * @default GitRepository
   */
  readonly kind?: "GitRepository" | "OCIRepository";

  /**
   * Its name.
   * @default flux-system
   */
  readonly name?: ObjectName;

  /**
   * Renders the source too, with this URL: `https://`, `http://` or `ssh://`; `oci://` for an OCIRepository.
   * @default - the source is there already, as `flux bootstrap` leaves it
   */
  readonly url?: string;

  /**
   * Branch of the GitRepository or tag of the OCIRepository, for `url`.
   * @default - main; latest
   */
  readonly ref?: Revision;

  /**
   * Secret with its credentials, for `url`.
   * @default - none
   */
  readonly secretRef?: ObjectName;
}
