import type { Fleet } from "./fleet";

/** A real GitOps controller beside a test cluster, and the repository that it applies. */
export interface GitOpsController {
  /** The key of `gitops` in cluster files. */
  readonly key: "argocd" | "flux";
  /** What it is to the API server. */
  readonly user: string;
  readonly fleet: Fleet;
  /** Commits what the repository's folder holds, and tells the controller as a webhook would. */
  announce(): Promise<string>;
  /** The same, and applies what a person applies for the controller. */
  commit(): Promise<string>;
  /** Waits until a commit is applied and healthy. */
  applied(revision: string, seconds?: number): Promise<void>;
  /** Has it compare the cluster with the last commit now, as it would by itself some minutes later. */
  compare(): Promise<void>;
  /** What it reports about the cluster's DNS. */
  said(): Promise<string>;
  /** Kills it and starts it again. */
  interrupt(): Promise<void>;
  /** Deletes what it was given to apply the cluster's DNS with, as a person would. */
  remove(): Promise<void>;
}
