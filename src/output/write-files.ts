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
  /** Generated files that are no longer rendered but belong to another folder of cluster files, so they stay. */
  readonly kept: readonly OwnFile[];
}

/** Whose files are written and, if stale, deleted. */
export interface Owner {
  /** The folder of the cluster files, as headers show it. */
  readonly clustersFolder: string;
  /** The clusters whose stale files are deleted; all if absent. */
  readonly clusters?: readonly string[] | undefined;
}

/**
 * Makes an owner's files in a folder exactly `files`: leaves unchanged ones alone, moves new and changed ones into
 * place whole, and deletes stale ones. Never touches other files; if one is in the way, nothing is written.
 */
export function writeFiles(folder: string, files: Files, owner: Owner): Written {
  const plan = planFiles(folder, files, owner);
  if (!isChange(plan) && !hasWorkspaces(folder)) return plan;
  return attempt(folder, "nothing was changed", () => {
    mkdirSync(folder, { recursive: true });
    return exclusively(folder, (workspace) => {
      // Another process may have written in the meantime.
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
  return `${join(folder, cluster)} was generated from ${clusterFile}, not from a file in ${clustersFolder}: choose another --out or, if that file has moved, first delete ${join(folder, cluster)}`;
}

/** The contents of the file at a path; undefined, with a problem, if something else is there. */
function readExisting(path: string, problems: string[]): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  try {
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

/** Writes all new contents into the workspace, so that a full disk shows before the first file changes. */
function stage(workspace: string, files: Files, paths: readonly string[]): void {
  for (const path of new Set(paths.map((file) => dirname(file)))) mkdirSync(join(workspace, path), { recursive: true });
  for (const path of paths) writeFileSync(join(workspace, path), files.get(path) ?? "");
}

/** Moves the contents of one folder into another; a subfolder that is new moves as a whole. */
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
    // It is not empty.
    return false;
  }
}
