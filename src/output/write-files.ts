import { randomBytes } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { reason } from "../config/reason";
import { ownHeader, type Files } from "./cluster-files";
import { findOwnFiles } from "./own-files";

/** What a write changed: paths under the output folder. */
export interface Written {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
  readonly unchanged: number;
}

/** The output folder cannot become what it should be; nothing in it was changed. */
export class OutputError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
  }
}

/**
 * Makes our files in a folder exactly `files`: unchanged ones stay untouched, changed ones are replaced by rename, stale ones of
 * ours are deleted. Files without our header are never touched; where one is in the way, nothing at all is written.
 * `clusters`: the clusters whose stale files are looked for; all when absent.
 */
export function writeFiles(folder: string, files: Files, clusters?: readonly string[]): Written {
  const plan = makePlan(folder, files, clusters);
  const staged = stage(folder, plan);
  for (const { temporary, path } of staged) renameSync(temporary, join(folder, path));
  for (const path of plan.deleted) rmSync(join(folder, path));
  removeEmptyFolders(folder, plan.deleted);
  return { created: plan.created, changed: plan.changed, deleted: plan.deleted, unchanged: plan.unchanged };
}

interface Plan extends Written {
  readonly contents: Files;
}

/** Compares with what is there. Throws with everything that is in the way. */
function makePlan(folder: string, files: Files, clusters: readonly string[] | undefined): Plan {
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
    else if (existing.startsWith(ownHeader)) changed.push(path);
    else
      problems.push(
        `${join(folder, path)} is in the way: it was not generated (its first line is not ours); move it elsewhere`,
      );
  }
  const deleted = problems.length > 0 ? [] : findOwnFiles(folder, clusters).filter((path) => !files.has(path));
  if (problems.length === 0)
    for (const path of [...created, ...changed, ...deleted]) folders.mustBeWritable(dirname(path));
  if (problems.length > 0) throw new OutputError([...new Set(problems)]);
  return { contents: files, created, changed, deleted, unchanged };
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
    problems.push(`${path} cannot be read (${reason(error)})`);
  }
  return undefined;
}

/** Looks at each folder once. The output folder itself may be a link; what is under it is ours, and a link could lead anywhere. */
class FolderCheck {
  private readonly seen = new Map<string, boolean>();
  private readonly checkedForWriting = new Set<string>();

  constructor(
    private readonly root: string,
    private readonly problems: string[],
  ) {}

  exists(path: string): boolean {
    const known = this.seen.get(path);
    if (known !== undefined) return known;
    const isRoot = path === ".";
    const there = (isRoot || this.exists(dirname(path))) && this.isFolder(join(this.root, path), isRoot);
    this.seen.set(path, there);
    return there;
  }

  /** The folder, or the nearest one above it that exists, takes new files. */
  mustBeWritable(path: string): void {
    if (!this.exists(path) && path !== ".") return this.mustBeWritable(dirname(path));
    if (this.checkedForWriting.has(path)) return;
    this.checkedForWriting.add(path);
    let folder = join(this.root, path);
    while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
    } catch (error) {
      this.problems.push(`${folder} cannot be written to (${reason(error)})`);
    }
  }

  private isFolder(path: string, followLink: boolean): boolean {
    try {
      const stats = (followLink ? statSync : lstatSync)(path, { throwIfNoEntry: false });
      if (!stats) return false;
      if (stats.isDirectory()) return true;
      this.problems.push(
        `${path} is in the way: it is ${stats.isSymbolicLink() ? "a symbolic link" : "a file"}, a folder is needed; move it elsewhere`,
      );
    } catch (error) {
      this.problems.push(`${path} cannot be read (${reason(error)})`);
    }
    return false;
  }
}

/** Writes everything that is new, in place or beside what it replaces, so that a full disk is met before the first file changes. */
function stage(folder: string, { contents, created, changed }: Plan): { temporary: string; path: string }[] {
  const written: string[] = [];
  const write = (file: string, path: string) => {
    try {
      writeFileSync(file, contents.get(path) ?? "", { flag: "wx" });
      written.push(file);
    } catch (error) {
      // Perhaps a part of it; what was there before us stays.
      if (reason(error) !== "EEXIST") written.push(file);
      throw error;
    }
  };
  try {
    for (const path of new Set(created.map((file) => dirname(file))))
      mkdirSync(join(folder, path), { recursive: true });
    for (const path of created) write(join(folder, path), path);
    const suffix = `.${randomBytes(4).toString("hex")}.tmp`;
    const staged = changed.map((path) => ({ temporary: join(folder, path) + suffix, path }));
    for (const { temporary, path } of staged) write(temporary, path);
    return staged;
  } catch (error) {
    for (const file of written) rmSync(file, { force: true });
    removeEmptyFolders(folder, created);
    throw new OutputError([`${folder} cannot be written to (${reason(error)}); nothing was changed`]);
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
