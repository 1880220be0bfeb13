import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFolder } from "../../src/output/make-folder";

it("makes a folder and those above it, and returns the topmost", () => {
  const folder = mkdtempSync(join(tmpdir(), "folders-"));
  expect(makeFolder(join(folder, "a/b/c"))).toBe(join(folder, "a"));
  expect(existsSync(join(folder, "a/b/c"))).toBe(true);
  expect(makeFolder(join(folder, "a"))).toBeUndefined();
  rmSync(folder, { recursive: true });
});

it.runIf(process.platform === "linux")("fails at once where a folder takes none", () => {
  expect(() => makeFolder("/proc/a/b")).toThrow("ENOENT");
});
