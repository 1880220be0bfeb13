import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import type { Cluster } from "../model/cluster/cluster";
import { suggest } from "../model/syntax/suggest";
import { clusterNameRule, isClusterName } from "./cluster-name";
import type { LocatedProblem } from "./located-problem";
import { readClusterFile } from "./read-cluster-file";
import { reason } from "./reason";

/** A cluster and its file. */
export interface NamedCluster {
  /** The file's name without extension. */
  readonly name: string;
  /** The file's name without folder. */
  readonly fileName: string;
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
  const problems = [...unknownNames(folder, names, listed.files), ...badNames(folder, wanted)];
  const clusters: NamedCluster[] = [];
  for (const { name, fileName } of wanted) {
    const read = readOne(join(folder, fileName));
    if ("problems" in read) problems.push(...read.problems);
    else clusters.push({ name, fileName, cluster: read.cluster });
  }
  return { clusters, problems };
}

interface ListedFile {
  readonly name: string;
  readonly fileName: string;
}

function listClusterFiles(folder: string): { files: ListedFile[] } | { problem: LocatedProblem } {
  let entries: string[];
  try {
    entries = readdirSync(folder);
  } catch (error) {
    return { problem: { file: folder, message: `cannot be read as a folder of cluster files (${reason(error)})` } };
  }
  const files = entries
    // Hidden files belong to editors or linters.
    .filter((fileName) => /\.ya?ml$/i.test(fileName) && !fileName.startsWith("."))
    .sort()
    .map((fileName) => ({ name: fileName.slice(0, -extname(fileName).length), fileName }));
  if (files.length > 0) return { files };
  return {
    problem: { file: folder, message: "has no cluster file (NAME.yaml); `cluster-dns init NAME` writes one" },
  };
}

function unknownNames(folder: string, names: readonly string[], files: readonly ListedFile[]): LocatedProblem[] {
  const known = [...new Set(files.map(({ name }) => name))];
  return names
    .filter((name) => !known.includes(name))
    .map((name) => ({
      file: folder,
      message: `has no cluster "${name}"${suggest(withoutFolder(name), known) || `; it has ${list(known)}`}`,
    }));
}

/** Shells complete names to paths. */
function withoutFolder(name: string): string {
  return basename(name).replace(/\.ya?ml$/i, "");
}

function list(names: readonly string[]): string {
  return names.length > 10 ? `${names.slice(0, 10).join(", ")} and ${names.length - 10} more` : names.join(", ");
}

function badNames(folder: string, files: readonly ListedFile[]): LocatedProblem[] {
  const first = new Map<string, string>();
  return files.flatMap(({ name, fileName }) => {
    const file = join(folder, fileName);
    if (!isClusterName(name))
      return [{ file, message: `a file's name is its cluster's: ${clusterNameRule}; rename it` }];
    const same = first.get(name);
    if (same !== undefined) return [{ file, message: `cluster "${name}" is also in ${join(folder, same)}; keep one` }];
    first.set(name, fileName);
    return [];
  });
}

function readOne(file: string): ReturnType<typeof readClusterFile> {
  try {
    // Reading a pipe or a device could block forever.
    if (!statSync(file).isFile()) return { problems: [{ file, message: "is not a file" }] };
    return readClusterFile(file, readFileSync(file));
  } catch (error) {
    return { problems: [{ file, message: `cannot be read (${reason(error)})` }] };
  }
}
