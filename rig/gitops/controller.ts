import type { Fleet } from "./fleet";

/** A real GitOps controller beside a test cluster, and the repository that it applies. */
export interface GitOpsController {
  /** The key of `gitops` in cluster files. */
  readonly key: "argocd" | "flux";
  readonly fleet: Fleet;
  /** Commits what the repository's folder holds, and tells the controller as a webhook would. */
  commit(): Promise<string>;
  /** Waits until a commit is applied and healthy. */
  applied(revision: string, seconds?: number): Promise<void>;
  /** Deletes what it was given to apply the cluster's DNS with, as a person would. */
  remove(): Promise<void>;
}
