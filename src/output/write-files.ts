import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { reason } from "../config/reason";
import type { Files } from "./cluster-files";
import { Comparison, type Written } from "./comparison";
import { exclusively, hasWorkspaces, ignoreFile, lastChange, type LastChange } from "./exclusively";
import { makeFolder } from "./make-folder";
import { OutputError } from "./output-error";
import type { Owner } from "./owner";

/** The files of some clusters, then of others: rendered when they are asked for, and again each time. */
export type RenderedFiles = Iterable<Files>;

/**
 * Makes an owner's files in a folder exactly those rendered: leaves unchanged ones alone, moves new and changed ones
 * into place whole, and deletes stale ones. Never touches other files; if one is in the way, or rendering throws, nothing
 * is written. Keeps no contents, which would be most of the memory that a large fleet takes.
 * @param check Throws what is wrong with what is still to be rendered, which counts for more than a folder that cannot be
 * written to now; called only then, because it reads as much as rendering does.
 */
export function writeFiles(
  folder: string,
  rendered: RenderedFiles,
  owner: Owner,
  check: () => void = () => undefined,
): Written {
  const before = lastChange(folder);
  const comparison = new Comparison(folder, owner);
  const files = rendered[Symbol.iterator]();
  let next = files.next();
  let differing: readonly string[] = [];
  for (; next.done !== true; next = files.next()) {
    differing = comparison.add(next.value);
    // Otherwise all that is in the way is found before anything is written.
    if (differing.length > 0 && comparison.mayWrite(differing)) break;
  }
  if (next.done === true) {
    const plan = comparison.result(true);
    if (!isChange(plan) && !hasWorkspaces(folder)) return plan;
  }
  // It may have to wait for another process.
  if (next.done !== true && hasWorkspaces(folder)) check();
  try {
    return inWorkspace(folder, before, (workspace, isAlone) => {
      // Another process may have written in the meantime.
      if (!isAlone) return stageAll(workspace, rendered, new Comparison(folder, owner));
      if (next.done !== true) stage(workspace, next.value, differing);
      return stageAll(workspace, { [Symbol.iterator]: () => files }, comparison);
    });
  } catch (error) {
    if (error instanceof OutputError) check();
    throw error;
  }
}

/** What `writeFiles` would change. */
export function planFiles(folder: string, rendered: RenderedFiles, owner: Owner): Written {
  const comparison = new Comparison(folder, owner);
  for (const files of rendered) comparison.add(files);
  return comparison.result(false);
}

export function isChange({ created, changed, deleted }: Written): boolean {
  return created.length + changed.length + deleted.length > 0;
}

/**
 * Moves what `work` leaves in the workspace into place, and deletes what is stale.
 * @param before The folder's last change when it was looked at; `work` is told whether no other process has been in it
 * since.
 */
function inWorkspace(
  folder: string,
  before: LastChange,
  work: (workspace: string, isAlone: boolean) => Written,
): Written {
  return attempt(folder, "nothing was changed", () => {
    const made = makeFolder(folder);
    const start = made === undefined ? before : lastChange(folder);
    try {
      return exclusively(folder, (workspace, atEntry) => {
        const plan = work(workspace, atEntry === start);
        attempt(folder, "some files were changed already; run again", () => {
          moveInto(workspace, folder);
          for (const path of plan.deleted) rmSync(join(folder, path), { force: true });
          removeEmptyFolders(folder, plan.deleted);
        });
        return plan;
      });
    } catch (error) {
      if (made !== undefined) removeMade(made, folder);
      throw error;
    }
  });
}

/** Errors of the file system as problems; others, such as those of rendering, stay as they are. */
function attempt<Result>(folder: string, outcome: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new OutputError([`${folder} cannot be written to (${reason(error)}); ${outcome}`]);
  }
}

function stageAll(workspace: string, rendered: RenderedFiles, comparison: Comparison): Written {
  for (const files of rendered) stage(workspace, files, comparison.add(files));
  return comparison.result(true);
}

/** Writes new contents into the workspace, so that a full disk shows before the first file changes. */
function stage(workspace: string, files: Files, paths: readonly string[]): void {
  for (const path of new Set(paths.map((file) => dirname(file)))) mkdirSync(join(workspace, path), { recursive: true });
  for (const path of paths) writeFileSync(join(workspace, path), files.get(path) ?? "");
}

/** Moves the contents of a workspace, or of a folder in it, into another folder; a subfolder that is new moves as a whole. */
function moveInto(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.name === ignoreFile) continue;
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

/** Removes a folder, and those above it up to one that was made with it. */
function removeMade(made: string, folder: string): void {
  for (let path = resolve(folder); tryRemove(path) && path !== resolve(made);) path = dirname(path);
}
