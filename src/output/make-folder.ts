import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { reason } from "../config/reason";

/**
 * Makes a folder and those above it. `mkdirSync` with `recursive` tries for ever where a folder that exists takes none
 * and says ENOENT, as `/proc` does.
 * @returns The topmost folder that it made; undefined if none.
 */
export function makeFolder(path: string): string | undefined {
  const folder = resolve(path);
  const above = dirname(folder);
  try {
    return makeOne(folder);
  } catch (error) {
    if (reason(error) !== "ENOENT" || above === folder) throw error;
    // Another process has just made it, or it takes no folder.
    if (existsSync(above)) return makeOne(folder);
  }
  const topmost = makeFolder(above);
  const made = makeOne(folder);
  return topmost ?? made;
}

function makeOne(folder: string): string | undefined {
  try {
    mkdirSync(folder);
    return folder;
  } catch (error) {
    // Mostly EEXIST, but Windows refuses to make a drive for lack of rights.
    if (existsSync(folder)) return undefined;
    throw error;
  }
}
