import { accessSync, constants, lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { reason } from "../config/reason";

/** Looks at each folder once. The output folder itself may be a link; what is under it is ours, and a link could lead anywhere. */
export class FolderCheck {
  private readonly seen = new Map<string, boolean>();
  private readonly checkedForWriting = new Set<string>();

  constructor(
    private readonly root: string,
    private readonly problems: string[],
  ) {}

  /** Whether there is a folder at a path; what else is there is a problem. */
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
    while (!this.isFolder(folder, true) && dirname(folder) !== folder) folder = dirname(folder);
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
      // ENOTDIR, which newer versions of Node do not throw: something above it is a file, and will be found there.
      if (reason(error) !== "ENOTDIR") this.problems.push(`${path} cannot be read (${reason(error)})`);
    }
    return false;
  }
}
