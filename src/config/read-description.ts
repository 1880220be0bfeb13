import type { Cluster } from "../model/cluster/cluster";
import type { ClusterDnsProps } from "../model/props/cluster-dns";
import type { Problem } from "../model/syntax/problem";
import type { LocatedProblem } from "./located-problem";
import { originOf, type Origin } from "./origin";
import { readCluster } from "./read-clusters";
import { readYaml } from "./read-yaml";
import { descriptionOf } from "./resolve-files";

/** A cluster as its files describe it. */
export interface Description {
  /** The cluster file, then its defaults files. */
  readonly files: readonly [string, ...string[]];
  /** All files together, without defaults. */
  readonly props: ClusterDnsProps;
  readonly cluster: Cluster;
  /** Where a value is written; undefined for a default. */
  readonly originOf: (path: Problem["path"], value: unknown) => Origin | undefined;
}

/** Reads one cluster's files, and keeps where they say what. */
export function readDescription(
  folder: string,
  name: string,
): Description | { readonly problems: readonly LocatedProblem[] } {
  const { named, problems } = readCluster(folder, name);
  if (!named || problems.length > 0) return { problems };
  const files = named.files.map(readYaml);
  return {
    files: named.files,
    // `readClusters` has checked it.
    props: descriptionOf(files) as ClusterDnsProps,
    cluster: named.cluster,
    originOf: (path, value) => originOf(files, path, value),
  };
}
