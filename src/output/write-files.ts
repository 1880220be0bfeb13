import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { reason } from "../config/reason";
import type { Files } from "./cluster-files";
import { exclusively, hasWorkspaces } from "./exclusively";
import { FolderCheck } from "./folder-check";
import { belongsTo, clusterFileOf } from "./header";
import { OutputError } from "./output-error";
import { findOwnFiles, type OwnFile } from "./own-files";

/** What a write changed: paths under the output folder. */
export interface Written {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
  readonly unchanged: number;
  /** Generated files that no file takes the place of, and that stay because they belong to another folder of cluster files. */
  readonly kept: readonly OwnFile[];
}

/** Whose files are written and, where they are stale, deleted. */
export interface Owner {
  /** The folder of the cluster files, as headers have it. */
  readonly clustersFolder: string;
  /** The clusters whose stale files are looked for; all when absent. */
  readonly clusters?: readonly string[] | undefined;
}

/**
 * Makes the files of an owner in a folder exactly `files`: unchanged ones stay untouched, new and changed ones are moved into place whole,
 * stale ones are deleted. Files of others are never touched; where one is in the way, nothing at all is written.
 */
export function writeFiles(folder: string, files: Files, owner: Owner): Written {
  const plan = planFiles(folder, files, owner);
  if (!isChange(plan) && !hasWorkspaces(folder)) return plan;
  return attempt(folder, "nothing was changed", () => {
    mkdirSync(folder, { recursive: true });
    return exclusively(folder, (workspace) => {
      // Another process may have written since.
      const current = planFiles(folder, files, owner);
      stage(workspace, files, [...current.created, ...current.changed]);
      attempt(folder, "some files were changed already; run again", () => {
        moveInto(workspace, folder);
        for (const path of current.deleted) rmSync(join(folder, path), { force: true });
        removeEmptyFolders(folder, current.deleted);
      });
      return current;
    });
  });
}

export function isChange({ created, changed, deleted }: Written): boolean {
  return created.length + changed.length + deleted.length > 0;
}

function attempt<Result>(folder: string, outcome: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof OutputError) throw error;
    throw new OutputError([`${folder} cannot be written to (${reason(error)}); ${outcome}`]);
  }
}

/**
 * What `writeFiles` would change.
 * @throws OutputError with everything that is in the way.
 */
export function planFiles(folder: string, files: Files, { clustersFolder, clusters }: Owner): Written {
  const problems: string[] = [];
  const created: string[] = [];
  const changed: string[] = [];
  let unchanged = 0;
  const folders = new FolderCheck(folder, problems);

  for (const [path, contents] of files) {
    if (!folders.exists(dirname(path))) {
      created.push(path);
      continue;
    }
    const existing = readExisting(join(folder, path), problems);
    if (existing === undefined) created.push(path);
    else if (existing === contents) unchanged++;
    else if (belongsTo(clustersFolder, clusterFileOf(existing))) changed.push(path);
    else problems.push(inTheWay(folder, path, clustersFolder, clusterFileOf(existing)));
  }
  const others = problems.length > 0 ? [] : findOwnFiles(folder, clusters, files);
  const deleted = others.filter((file) => belongsTo(clustersFolder, file.clusterFile)).map(({ path }) => path);
  if (problems.length === 0 && created.length + changed.length + deleted.length > 0)
    for (const path of [".", ...[...created, ...changed, ...deleted].map((file) => dirname(file))])
      folders.mustBeWritable(path);
  if (problems.length > 0) throw new OutputError([...new Set(problems)]);
  const kept = others.filter((file) => !belongsTo(clustersFolder, file.clusterFile));
  return { created, changed, deleted, unchanged, kept };
}

function inTheWay(folder: string, path: string, clustersFolder: string, clusterFile: string | undefined): string {
  const [cluster = ""] = path.split("/");
  if (clusterFile === undefined)
    return `${join(folder, path)} is in the way: it was not generated (its first line is not ours); move it elsewhere`;
  return `${join(folder, cluster)} was generated from ${clusterFile}, not from a file in ${clustersFolder}: name another --out or, if that file has moved, delete ${join(folder, cluster)} first`;
}

/** Contents of the file at a path: undefined where there is nothing, a problem where there is something else. */
function readExisting(path: string, problems: string[]): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  try {
    if (stats.isFile()) return readFileSync(path, "utf8");
    problems.push(
      `${path} is in the way: it is ${stats.isSymbolicLink() ? "a symbolic link" : "not a file"}; move it elsewhere`,
    );
  } catch (error) {
    // ENOENT: another process deleted it meanwhile.
    if (reason(error) !== "ENOENT") problems.push(`${path} cannot be read (${reason(error)})`);
  }
  return undefined;
}

/** Writes everything that is new into the workspace, so that a full disk is met before the first file changes. */
function stage(workspace: string, files: Files, paths: readonly string[]): void {
  for (const path of new Set(paths.map((file) => dirname(file)))) mkdirSync(join(workspace, path), { recursive: true });
  for (const path of paths) writeFileSync(join(workspace, path), files.get(path) ?? "");
}

/** Moves what is in one folder into another, a folder that is new as a whole. */
function moveInto(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && existsSync(target)) moveInto(source, target);
    else renameSync(source, target);
  }
}

function removeEmptyFolders(folder: string, deleted: readonly string[]): void {
  for (let paths = new Set(deleted.map((path) => dirname(path))); paths.size > 0;) {
    const removed = [...paths].filter((path) => path !== "." && tryRemove(join(folder, path)));
    paths = new Set(removed.map((path) => dirname(path)));
  }
}

function tryRemove(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    // Something else is in it.
    return false;
  }
}
