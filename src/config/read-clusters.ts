import { basename } from "node:path";
import type { Cluster } from "../model/cluster/cluster";
import { suggest } from "../model/syntax/suggest";
import { clusterNameRule, isClusterName } from "./cluster-name";
import { collectSooner } from "./collect-sooner";
import { inSentence, listClusterFiles, type ListedFile } from "./list-cluster-files";
import { formatProblem, type LocatedProblem } from "./located-problem";
import type { YamlFile } from "./parse-yaml";
import { readYaml } from "./read-yaml";
import { resolveFiles } from "./resolve-files";

/** A cluster and its file. */
export interface NamedCluster {
  /** The file's name without folder and extension. */
  readonly name: string;
  /** Its path, then those of its defaults files. */
  readonly files: readonly [string, ...string[]];
  readonly cluster: Cluster;
}

/** The cluster files in a folder, ordered by name, and everything that is wrong with them. */
export interface Clusters {
  readonly clusters: readonly NamedCluster[];
  readonly problems: readonly LocatedProblem[];
}

/** Reads a folder's cluster files: all of them, or only those of the named clusters. */
export function readClusters(folder: string, names: readonly string[] = []): Clusters {
  const listed = listClusterFiles(folder);
  if ("problem" in listed) return { clusters: [], problems: [listed.problem] };

  const asked = new Set(names);
  const wanted = listed.files.filter(({ name }) => asked.size === 0 || asked.has(name));
  collectSooner(wanted.length);
  const problems = [...unknownNames(folder, names, listed.files), ...badNames(wanted)];
  const clusters: NamedCluster[] = [];
  const defaultsFiles = new Map<string, YamlFile>();
  for (const { name, files } of wanted) {
    const [own, ...shared] = files;
    // A defaults file may have only comments.
    const defaults = shared.map((file) => readOnce(file, defaultsFiles)).filter(({ isEmpty }) => !isEmpty);
    const read = resolveFiles([readYaml(own), ...defaults]);
    if ("problems" in read) for (const problem of read.problems) problems.push(problem);
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
      message: `has no cluster "${name}"${suggest(withoutFolder(name), known) || `; it has ${inSentence(known)}`}`,
    }));
}

/** Shells complete names to paths. */
function withoutFolder(name: string): string {
  return basename(name).replace(/\.ya?ml$/i, "");
}

function badNames(files: readonly ListedFile[]): LocatedProblem[] {
  const first = new Map<string, string>();
  return files.flatMap(({ name, files: [path] }) => {
    if (!isClusterName(name))
      return [{ file: path, message: `a file's name is its cluster's: ${clusterNameRule}; rename it` }];
    const same = first.get(name);
    if (same !== undefined) return [{ file: path, message: `cluster "${name}" is also in ${same}; keep one` }];
    first.set(name, path);
    return [];
  });
}
