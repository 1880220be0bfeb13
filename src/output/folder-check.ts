import { accessSync, constants, lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { reason } from "../config/reason";

/** Each once. The output folder itself may be a link, but nothing below it: a link could lead anywhere. */
export class FolderCheck {
  private readonly seen = new Map<string, boolean>();
  private readonly checkedForWriting = new Set<string>();

  constructor(
    private readonly root: string,
    private readonly problems: string[],
  ) {}

  /** Whether a path is a folder; anything else there is a problem. */
  exists(path: string): boolean {
    const known = this.seen.get(path);
    if (known !== undefined) return known;
    const isRoot = path === ".";
    const there = (isRoot || this.exists(dirname(path))) && this.isFolder(join(this.root, path), isRoot);
    this.seen.set(path, there);
    return there;
  }

  /** Requires that the folder, or its nearest existing parent, takes new files. */
  mustBeWritable(path: string): void {
    if (!this.exists(path) && path !== ".") return this.mustBeWritable(dirname(path));
    if (this.checkedForWriting.has(path)) return;
    this.checkedForWriting.add(path);
    let folder = join(this.root, path);
    while (!this.isFolder(folder, true) && dirname(folder) !== folder) folder = dirname(folder);
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
    } catch (error) {
      this.problems.push(
        `${folder} cannot be written to (${reason(error)}); get the right to, or choose another --out`,
      );
    }
  }

  private isFolder(path: string, followLink: boolean): boolean {
    try {
      const followed = followLink ? statSync(path, { throwIfNoEntry: false }) : undefined;
      const stats = followed ?? lstatSync(path, { throwIfNoEntry: false });
      if (!stats) return false;
      if (stats.isDirectory()) return true;
      const what = stats.isSymbolicLink() ? `a symbolic link${followLink ? " to nothing" : ""}` : "a file";
      this.problems.push(`${path} is in the way: it is ${what}, not a folder; move it elsewhere`);
    } catch (error) {
      // ENOTDIR, which newer versions of Node do not throw: a parent is a file, which is reported when that is checked.
      if (reason(error) !== "ENOTDIR") this.problems.push(`${path} cannot be read (${reason(error)})`);
    }
    return false;
  }
}
