import type { ShellCommand } from "../command";
import type { KubernetesObject } from "../kubernetes/object";
import type { RenderedFolders } from "./rendered-folders";

/** Who applies a cluster's manifests, and all that depends on who it is. Each function takes the cluster's name. */
export interface Applier {
  /** Undefined: a person, with kubectl. */
  readonly controller?: Controller;
  /** Where the repository has the manifests of all clusters; undefined: where they are rendered. */
  readonly folder?: string;
  /** Whose changes admission must allow. */
  readonly account?: Account;
  /** The controller's own objects, by the folder that holds them. */
  objects(folders: RenderedFolders): { readonly [folder: string]: readonly KubernetesObject[] };
  /** Shows what the controller does. */
  show(cluster: string): readonly ShellCommand[];
  apply(cluster: string, manifests: string): ShellCommand | string;
  /** Applies the smoke test alone: what is rendered of the rest may be another version than the one that runs. */
  testAgain(cluster: string, manifests: string): ShellCommand | string;
  /** Ends what restores objects, and deletes none that it applied: docs/gitops.md says why not. */
  end(cluster: string): readonly [text: string, ...commands: readonly ShellCommand[]];
}

export interface Controller {
  readonly name: "Argo CD" | "Flux";
  /** Of its own objects. */
  readonly namespace: string;
}

interface Account {
  /** Undefined if the controller's accounts may be in any. */
  readonly namespace?: string;
  /** `argocd:argocd-application-controller`. */
  readonly name: string;
  /** The name of an account that may be taken for the one needed, and what it is. */
  readonly others?: { readonly name: string; readonly what: string };
}
