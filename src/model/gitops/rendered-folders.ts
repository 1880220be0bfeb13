import type { Replicas } from "./replicas";

/** Where a cluster's manifests are: its folder, and the folders of its components in apply order. */
export interface RenderedFolders {
  readonly cluster: string;
  readonly components: readonly string[];
  /** Where its namespaced objects are. */
  readonly namespaces: readonly string[];
  /** Of CoreDNS; undefined if there is no Deployment. */
  readonly replicas: Replicas | undefined;
  /** How long until a component is well, for those that take longer than others. */
  readonly seconds: { readonly [component: string]: number };
}

/** A path in the repository, from its root. */
export function repositoryPath(...folders: readonly string[]): string {
  return folders
    .flatMap((folder) => folder.split("/"))
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}
