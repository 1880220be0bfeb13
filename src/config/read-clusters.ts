import type { Cluster } from "../model/cluster/cluster";
import { suggest } from "../model/syntax/suggest";
import { clusterNameRule, isClusterName, inSentence, listClusterFiles, nameOfFile } from "./list-cluster-files";
import type { ListedFile } from "./list-cluster-files";
import { collectSooner } from "./collect-sooner";
import { formatProblem, type LocatedProblem } from "./located-problem";
import type { YamlFile } from "./parse-yaml";
import { readYaml } from "./read-yaml";
import { misshapenIn, resolveFiles } from "./resolve-files";

export interface NamedCluster {
  readonly name: string;
  readonly files: readonly [string, ...string[]];
  /** What they say together. */
  readonly description: unknown;
  readonly cluster: Cluster;
}

/** Reads one cluster's file: the named one or, without a name, the folder's only one. @param to For what, as in `to compare`. */
export function readCluster(
  folder: string,
  name: string | undefined,
  to = "",
): NamedCluster | { readonly problems: readonly LocatedProblem[] } {
  const listed = name === undefined ? listClusterFiles(folder) : { files: [] };
  const known = new Set("problem" in listed ? [] : listed.files.map((each) => each.name));
  // Whatever is wrong with the others.
  if (known.size > 1) {
    const message = `has ${known.size} clusters; name the one ${to}: ${inSentence([...known])}`;
    return { problems: [{ file: folder, message }] };
  }
  let named: NamedCluster | undefined;
  const problems = forEachCluster(folder, name === undefined ? [] : [name], (each) => (named = each));
  return named && problems.length === 0 ? named : { problems };
}

/**
 * Reads a folder's cluster files, ordered by name: none is kept, for a fleet would fill the memory.
 * @param names Of the clusters; empty: all.
 * @param use Is given each cluster while nothing is wrong, and how many there are; the others are only checked.
 * @returns Everything that is wrong with the folder and its files.
 */
export function forEachCluster(
  folder: string,
  names: readonly string[],
  use: (named: NamedCluster, count: number) => void,
): readonly LocatedProblem[] {
  // By their texts: what is wrong with a defaults file is wrong with every cluster that has it.
  const found = new Map<string, LocatedProblem>();
  const complain = (problems: readonly LocatedProblem[]) => {
    for (const problem of problems) found.set(formatProblem(problem), problem);
  };
  const { wanted, unused = [], problems } = listWanted(folder, names);
  complain(problems);
  for (const file of unused) complain(misshapenIn(readYaml(file)));
  collectSooner(wanted.length);
  const defaultsFiles = new Map<string, YamlFile>();
  for (const { name, files } of wanted) {
    const [own, ...shared] = files;
    // A defaults file may have only comments.
    const defaults = shared.map((file) => readOnce(file, defaultsFiles)).filter(({ isEmpty }) => !isEmpty);
    const read = resolveFiles([readYaml(own), ...defaults]);
    if ("problems" in read) complain(read.problems);
    else if (found.size === 0) use({ name, files, ...read }, wanted.length);
  }
  return [...found.values()];
}

function listWanted(
  folder: string,
  names: readonly string[],
): {
  readonly wanted: readonly ListedFile[];
  readonly unused?: readonly string[];
  readonly problems: readonly LocatedProblem[];
} {
  const listed = listClusterFiles(folder);
  if ("problem" in listed) return { wanted: [], problems: [listed.problem] };
  const asked = new Set(names);
  if (asked.size === 0) return { wanted: listed.files, unused: listed.unused, problems: badNames(listed.files) };
  const wanted = listed.files.filter(({ name }) => asked.has(name));
  return { wanted, problems: [...unknownNames(folder, names, listed.files), ...badNames(wanted)] };
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
      // Shells complete names to paths.
      message: `has no cluster "${name}"${suggest(nameOfFile(name), known) || `; it has ${inSentence(known)}`}`,
    }));
}

export function badNames(files: readonly ListedFile[]): LocatedProblem[] {
  const first = new Map<string, string>();
  return files.flatMap(({ name, files: [path] }) => {
    // It would be a cluster, and no other would have what it says.
    if (!isClusterName(name) || name === "defaults") {
      const meant = /^_?defaults?$/i.test(name) ? "; what clusters share is in _defaults.yaml" : "";
      return [{ file: path, message: `a file's name is its cluster's: ${clusterNameRule}; rename it${meant}` }];
    }
    const same = first.get(name);
    if (same !== undefined) return [{ file: path, message: `cluster "${name}" is also in ${same}; keep one` }];
    first.set(name, path);
    return [];
  });
}
