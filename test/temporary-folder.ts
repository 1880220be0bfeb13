import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach } from "vitest";

/** A folder that is removed after the tests of the file, or where `after` says. */
export function temporaryFolder(name: string, after: (remove: () => void) => void = afterAll): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The same, empty before each test. */
export function emptyFolder(name: string): string {
  const folder = temporaryFolder(name);
  beforeEach(() => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  });
  return folder;
}

/** Writes a file and the folders that it is in. */
export function putFile(folder: string, path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
