import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { reason } from "../config/reason";
import type { Files } from "./cluster-files";
import { Comparison, type Written } from "./comparison";
import { makeFolder } from "./make-folder";
import { OutputError } from "./output-error";
import type { Owner } from "./owner";
import { announce, recordName } from "./record";
import { enter, ignoreFile, lastChange, type LastChange, leave, othersIn, type Workspace } from "./workspace";

/** Renders clusters one after the other, and gives away the files of each: all of them would fill the memory. */
export type Render = (use: (files: Files) => void) => void;

interface Writer {
  readonly folder: string;
  readonly render: Render;
  readonly owner: Owner;
  readonly check: () => void;
}

/**
 * Makes an owner's files in a folder exactly those rendered: leaves unchanged ones alone, moves new and changed ones
 * into place whole, and deletes stale ones. Never touches other files; if one is in the way, or rendering throws, nothing
 * is written.
 * @param check Throws what is wrong with what is still to be rendered, which counts for more than a folder that cannot be
 * written to now; called only then, because it reads as much as rendering does.
 */
export function writeFiles(folder: string, render: Render, owner: Owner, check: () => void = () => {}): Written {
  const writer = { folder, render, owner, check };
  try {
    return write(writer, false);
  } catch (error) {
    if (error instanceof Overtaken) return write(writer, true);
    if (error instanceof OutputError) check();
    throw error;
  }
}

export function planFiles(folder: string, render: Render, owner: Owner): Written {
  const comparison = new Comparison(folder, owner);
  render((files) => comparison.add(files));
  return comparison.result(false);
}

export function isChange({ created, changed, deleted }: Written): boolean {
  return created.length + changed.length + deleted.length > 0;
}

/**
 * Takes its turn once there is something to write.
 * @param isFirst Takes it at once, so that nobody overtakes.
 * @throws Overtaken if another process may have written since its first look.
 */
function write({ folder, render, owner, check }: Writer, isFirst: boolean): Written {
  return attempt(folder, "nothing was changed", () => {
    const before = lastChange(folder);
    const comparison = new Comparison(folder, owner);
    let turn = isFirst ? takeTurn(folder) : undefined;
    let isDone = false;
    try {
      render((files) => {
        const differing = comparison.add(files);
        // Otherwise all that is in the way is found before anything is written.
        if (differing.length === 0 || !comparison.mayWrite(differing)) return;
        // It may have to wait for another process.
        if (!turn && othersIn(folder).length > 0) check();
        turn ??= takeTurn(folder, { before });
        stage(turn.path, files, differing);
      });
      const plan = comparison.result(true);
      if (isChange(plan)) {
        turn ??= takeTurn(folder, { before });
        moveIntoPlace(turn.path, folder, plan.deleted);
      } else {
        // Removes what a killed process left.
        othersIn(folder);
      }
      isDone = true;
      return plan;
    } finally {
      if (turn) endTurn(turn, folder, isDone);
    }
  });
}

/** Another process may have written since. */
class Overtaken extends Error {}

interface Turn extends Workspace {
  /** The topmost folder that was made for it. */
  readonly made: string | undefined;
}

function takeTurn(folder: string, look?: { readonly before: LastChange }): Turn {
  const made = makeFolder(folder);
  const expected = made === undefined ? look?.before : lastChange(folder);
  const turn = { ...enter(folder), made };
  if (!look || turn.lastChange === expected) return turn;
  leave(turn);
  throw new Overtaken();
}

function endTurn({ made, ...workspace }: Turn, folder: string, isDone: boolean): void {
  leave(workspace);
  if (isDone || made === undefined) return;
  for (let path = resolve(folder); tryRemove(path) && path !== resolve(made);) path = dirname(path);
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

/** Writes new contents into the workspace, so that a full disk shows before the first file changes. */
function stage(workspace: string, files: Files, paths: readonly string[]): void {
  // `join` looks at each character: 2% of a synthesis.
  for (const path of new Set(paths.map((file) => dirname(file))))
    mkdirSync(`${workspace}/${path}`, { recursive: true });
  for (const path of paths) writeFileSync(`${workspace}/${path}`, files.get(path) ?? "");
}

/** At every moment, the records list all that is ours. */
function moveIntoPlace(workspace: string, folder: string, deleted: readonly string[]): void {
  attempt(folder, "some files were changed already; run again", () => {
    announce(workspace, folder, deleted);
    moveInto(workspace, folder, [ignoreFile, recordName]);
    for (const path of deleted) rmSync(join(folder, path), { force: true });
    removeEmptyFolders(folder, deleted);
    moveInto(workspace, folder, [ignoreFile]);
  });
}

/** Moves the contents of a workspace, or of a folder in it, into another folder; a subfolder that is new moves as a whole. */
function moveInto(from: string, to: string, except: readonly string[]): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && existsSync(target)) moveInto(source, target, except);
    else if (!except.includes(entry.name)) renameSync(source, target);
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
