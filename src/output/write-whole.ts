import { renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Writes a file whole or not at all: a full disk or a killed process leaves no part of it under its name. */
export function writeWhole(file: string, contents: string | Uint8Array): void {
  const unfinished = join(dirname(file), `.${basename(file)}.${process.pid}`);
  try {
    writeFileSync(unfinished, contents);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
