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
  const reader = new ClusterReader(folder, names);
  return { clusters: [...reader], problems: reader.problems };
}

/**
 * The same, one after the other: each time that it is iterated over, as the folder is by then. It keeps none, for a fleet
 * would fill the memory.
 */
export class ClusterReader implements Iterable<NamedCluster> {
  /** How many files it reads. */
  count = 0;
  /** By their texts: what is wrong with a defaults file is wrong with every cluster that has it. */
  private readonly found = new Map<string, LocatedProblem>();

  constructor(
    private readonly folder: string,
    private readonly names: readonly string[],
  ) {}

  /** What is wrong with the folder, and with the files that were read so far. */
  get problems(): readonly LocatedProblem[] {
    return [...this.found.values()];
  }

  get hasProblems(): boolean {
    return this.found.size > 0;
  }

  *[Symbol.iterator](): Generator<NamedCluster, void> {
    const wanted = this.list();
    this.count = wanted.length;
    collectSooner(wanted.length);
    const defaultsFiles = new Map<string, YamlFile>();
    for (const { name, files } of wanted) {
      const [own, ...shared] = files;
      // A defaults file may have only comments.
      const defaults = shared.map((file) => readOnce(file, defaultsFiles)).filter(({ isEmpty }) => !isEmpty);
      const read = resolveFiles([readYaml(own), ...defaults]);
      if ("cluster" in read) yield { name, files, cluster: read.cluster };
      else this.complain(read.problems);
    }
  }

  private list(): readonly ListedFile[] {
    this.found.clear();
    const listed = listClusterFiles(this.folder);
    const { folder, names } = this;
    const files = "problem" in listed ? [] : listed.files;
    const asked = new Set(names);
    const wanted = asked.size === 0 ? files : files.filter(({ name }) => asked.has(name));
    this.complain(
      "problem" in listed ? [listed.problem] : [...unknownNames(folder, names, files), ...badNames(wanted)],
    );
    return wanted;
  }

  private complain(problems: readonly LocatedProblem[]): void {
    for (const problem of problems) this.found.set(formatProblem(problem), problem);
  }
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

/** Names that are no cluster's, or that two files have. */
export function badNames(files: readonly ListedFile[]): LocatedProblem[] {
  const first = new Map<string, string>();
  return files.flatMap(({ name, files: [path] }) => {
    if (!isClusterName(name)) {
      const meant = /^_defaults?$/i.test(name) ? "; what clusters share is in _defaults.yaml" : "";
      return [{ file: path, message: `a file's name is its cluster's: ${clusterNameRule}; rename it${meant}` }];
    }
    const same = first.get(name);
    if (same !== undefined) return [{ file: path, message: `cluster "${name}" is also in ${same}; keep one` }];
    first.set(name, path);
    return [];
  });
}
