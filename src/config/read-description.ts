import type { ClusterDnsProps } from "../model/props/cluster-dns";
import type { Problem } from "../model/syntax/problem";
import type { LocatedProblem } from "./located-problem";
import { originOf, type Origin } from "./origin";
import { type NamedCluster, readCluster } from "./read-clusters";
import { readYaml } from "./read-yaml";

export interface Description extends NamedCluster {
  /** All files together, without defaults. */
  readonly props: ClusterDnsProps;
  /** Where a value is written; undefined for a default. */
  readonly originOf: (path: Problem["path"], value: unknown) => Origin | undefined;
}

export function readDescription(
  folder: string,
  name: string,
): Description | { readonly problems: readonly LocatedProblem[] } {
  const named = readCluster(folder, name);
  if ("problems" in named) return named;
  const files = named.files.map(readYaml);
  // `readCluster` has checked it.
  const props = named.description as ClusterDnsProps;
  return { ...named, props, originOf: (path, value) => originOf(files, path, value) };
}
