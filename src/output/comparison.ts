import { lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { reason } from "../config/reason";
import type { Files } from "./cluster-files";
import { FolderCheck } from "./folder-check";
import { OutputError } from "./output-error";
import { filesBelow, findOwnFiles, type OwnFile, ownFiles, subfolders } from "./own-files";
import { type Owner, owns } from "./owner";
import { recordName } from "./record";

/** What a write changed: paths under the output folder. */
export interface Written {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
  readonly unchanged: number;
  /** Generated files that are no longer rendered but belong to another folder of cluster files, so they stay. */
  readonly kept: readonly OwnFile[];
}

/** Compares an owner's files with those in a folder, some clusters at a time, and keeps only paths. */
export class Comparison {
  /** What is in the way so far. */
  readonly problems: string[] = [];
  private readonly created: string[] = [];
  private readonly changed: string[] = [];
  private unchanged = 0;
  /** By cluster: generated files that are not rendered. */
  private readonly others = new Map<string, readonly OwnFile[]>();
  private readonly folders: FolderCheck;

  constructor(
    private readonly folder: string,
    private readonly owner: Owner,
  ) {
    this.folders = new FolderCheck(folder, this.problems);
  }

  /** Compares all files of some clusters. Returns the paths of those that are new or changed. */
  add(files: Files): readonly string[] {
    const before = [this.created.length, this.changed.length] as const;
    const clusters = new Set<string>();
    for (const path of files.keys()) clusters.add(path.slice(0, path.indexOf("/")));
    // One reading of each folder spares a look at each file.
    const there = new Set<string>();
    const sources = new Map<string, string>();
    for (const cluster of clusters) {
      const found = this.folders.exists(cluster) ? filesBelow(this.folder, cluster, this.problems) : [];
      for (const path of found) there.add(path);
      const own = ownFiles(this.folder, cluster, found, this.problems);
      for (const { path, clusterFile } of own) sources.set(path, clusterFile);
      this.others.set(
        cluster,
        own.filter(({ path }) => !files.has(path)),
      );
    }
    for (const [path, contents] of files) this.compare(path, contents, there.has(path), sources.get(path));
    return [...this.created.slice(before[0]), ...this.changed.slice(before[1])];
  }

  /** Generated files of a cluster that was added, and that are not rendered. */
  othersOf(cluster: string): readonly OwnFile[] {
    return this.others.get(cluster) ?? [];
  }

  /** Whether nothing is in the way so far, and these paths can be written. */
  mayWrite(paths: readonly string[]): boolean {
    for (const path of [".", ...paths.map((file) => dirname(file))]) this.folders.mustBeWritable(path);
    return this.problems.length === 0;
  }

  /** @param writes Whether it must be possible to write. @throws OutputError with everything that is in the way. */
  result(writes: boolean): Written {
    const { created, changed, unchanged, problems, folders, owner } = this;
    const others = this.allOthers();
    const isStale = (file: OwnFile) => owns(owner, file.clusterFile);
    const deleted = others.filter(isStale).map(({ path }) => path);
    if (writes && problems.length === 0 && created.length + changed.length + deleted.length > 0)
      for (const paths of [created, changed, deleted]) for (const path of paths) folders.mustBeWritable(dirname(path));
    if (problems.length > 0) throw new OutputError([...new Set(problems)]);
    return { created, changed, deleted, unchanged, kept: others.filter((file) => !isStale(file)) };
  }

  /** @param isFile Whether a plain file was seen there. @param source Its cluster file; undefined if not generated. */
  private compare(path: string, contents: string, isFile: boolean, source: string | undefined): void {
    const existing =
      isFile || this.folders.exists(dirname(path))
        ? readExisting(join(this.folder, path), isFile, this.problems)
        : undefined;
    if (existing === undefined) this.created.push(path);
    else if (existing === contents) this.unchanged++;
    else if (owns(this.owner, source)) this.changed.push(path);
    else this.problems.push(inTheWay(this.folder, path, this.owner.clustersFolder, source));
  }

  private allOthers(): readonly OwnFile[] {
    const { folder, problems, owner } = this;
    return (owner.clusters ?? subfolders(folder, problems)).flatMap(
      (cluster) => this.others.get(cluster) ?? findOwnFiles(folder, problems, [cluster]),
    );
  }
}

function inTheWay(folder: string, path: string, clustersFolder: string, clusterFile: string | undefined): string {
  const [cluster = ""] = path.split("/");
  if (clusterFile === undefined)
    return `${join(folder, path)} is in the way: it is none of the files that ${join(folder, cluster, recordName)} lists; move it elsewhere, or delete it if cdk8s-cluster-dns wrote it`;
  return `${join(folder, cluster)} was generated from ${clusterFile}, not from a file in ${clustersFolder}: choose another --out or, if that file has moved, first delete ${join(folder, cluster)}`;
}

/** The contents of the file at a path; undefined, with a problem, if something else is there. */
function readExisting(path: string, isFile: boolean, problems: string[]): string | undefined {
  try {
    if (isFile) return readFileSync(path, "utf8");
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    if (stats.isFile()) return readFileSync(path, "utf8");
    problems.push(
      `${path} is in the way: it is ${stats.isSymbolicLink() ? "a symbolic link" : "not a file"}; move it elsewhere`,
    );
  } catch (error) {
    // ENOENT: another process has just deleted it.
    if (reason(error) !== "ENOENT") problems.push(`${path} cannot be read (${reason(error)})`);
  }
  return undefined;
}
