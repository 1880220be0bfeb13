import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeFolder } from "../../src/output/make-folder";
import { temporaryFolder } from "../temporary-folder";

it("makes a folder and those above it, and returns the topmost", () => {
  const folder = temporaryFolder("folders", onTestFinished);
  expect(makeFolder(join(folder, "a/b/c"))).toBe(join(folder, "a"));
  expect(existsSync(join(folder, "a/b/c"))).toBe(true);
  expect(makeFolder(join(folder, "a"))).toBeUndefined();
});

it.runIf(process.platform === "linux")("fails at once where a folder takes none", () => {
  expect(() => makeFolder("/proc/a/b")).toThrow("ENOENT");
});
