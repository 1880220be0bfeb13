import { basename } from "node:path";
import type { Cluster } from "../model/cluster/cluster";
import { suggest } from "../model/syntax/suggest";
import { clusterNameRule, isClusterName } from "./cluster-name";
import { listClusterFiles, type ListedFile } from "./list-cluster-files";
import { formatProblem, type LocatedProblem } from "./located-problem";
import type { YamlFile } from "./parse-yaml";
import { readYaml } from "./read-yaml";
import { resolveFiles } from "./resolve-files";

/** A cluster by the name of its file. */
export interface NamedCluster {
  /** The file's name without folder and extension. */
  readonly name: string;
  /** Its path, then those of its defaults files. */
  readonly files: readonly [string, ...string[]];
  readonly cluster: Cluster;
}

/** What a folder of cluster files holds, in the order of the names, and everything that is wrong with it. */
export interface Clusters {
  readonly clusters: readonly NamedCluster[];
  readonly problems: readonly LocatedProblem[];
}

/** Reads the cluster files of a folder: all of them, or those of the clusters named. */
export function readClusters(folder: string, names: readonly string[] = []): Clusters {
  const listed = listClusterFiles(folder);
  if ("problem" in listed) return { clusters: [], problems: [listed.problem] };

  const asked = new Set(names);
  const wanted = listed.files.filter(({ name }) => asked.size === 0 || asked.has(name));
  const problems = [...unknownNames(folder, names, listed.files), ...badNames(wanted)];
  const clusters: NamedCluster[] = [];
  const defaultsFiles = new Map<string, YamlFile>();
  for (const { name, files } of wanted) {
    const read = resolveFiles(
      files.map((file) => (file === files[0] ? readYaml(file) : readOnce(file, defaultsFiles))),
    );
    if ("problems" in read) problems.push(...read.problems);
    else clusters.push({ name, files, cluster: read.cluster });
  }
  // What is wrong with a defaults file is wrong with every cluster that has it.
  const distinct = new Map(problems.map((problem) => [formatProblem(problem), problem]));
  return { clusters, problems: [...distinct.values()] };
}

function readOnce(file: string, known: Map<string, YamlFile>): YamlFile {
  const read = known.get(file) ?? readYaml(file);
  known.set(file, read);
  return read;
}

function unknownNames(folder: string, names: readonly string[], files: readonly ListedFile[]): LocatedProblem[] {
  const known = [...new Set(files.map(({ name }) => name))];
  return names
    .filter((name) => !known.includes(name))
    .map((name) => ({
      file: folder,
      message: `holds no cluster "${name}"${suggest(withoutFolder(name), known) || `; there are ${list(known)}`}`,
    }));
}

/** A shell completes names to paths. */
function withoutFolder(name: string): string {
  return basename(name).replace(/\.ya?ml$/i, "");
}

function list(names: readonly string[]): string {
  return names.length > 10 ? `${names.slice(0, 10).join(", ")} and ${names.length - 10} more` : names.join(", ");
}

function badNames(files: readonly ListedFile[]): LocatedProblem[] {
  const first = new Map<string, string>();
  return files.flatMap(({ name, files: [path] }) => {
    if (!isClusterName(name))
      return [{ file: path, message: `a file is named for its cluster: ${clusterNameRule}; rename it` }];
    const same = first.get(name);
    if (same !== undefined) return [{ file: path, message: `cluster "${name}" is also in ${same}; keep one of them` }];
    first.set(name, path);
    return [];
  });
}
