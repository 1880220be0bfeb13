import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Scratch } from "./scratch";

let scratch: Scratch;
let folder: string;
beforeEach(() => {
  scratch = new Scratch();
  folder = dirname(scratch.cli);
  scratch.write("clusters/prod.yaml", "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n");
});
afterEach(() => scratch.remove());

const caches = () => readdirSync(folder).filter((name) => name.endsWith(".cache"));

it("V8's code cache is replaced if V8 refuses it, with the same output", () => {
  expect(scratch.runBundle("synth").exitCode).toBe(0);
  // Beside those of other versions of Node that ran here.
  const own = caches().find((name) => name.startsWith("synth-") && name.includes(`-${process.version}-`));
  const cache = join(folder, own ?? "");
  writeFileSync(cache, "not of this V8");
  expect(scratch.runBundle("synth", "--check")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(readFileSync(cache).length).toBeGreaterThan(100_000);
  expect(scratch.runBundle("synth", "--check")).toMatchObject({ exitCode: 0, stderr: "" });
});

it("a mistake leaves no code cache, which would lack most of what a synthesis compiles", () => {
  const before = caches();
  expect(scratch.runBundle("explain", "none").exitCode).toBe(1);
  expect(caches()).toEqual(before);
});

it("a package that cannot be written to does without", () => {
  const before = caches();
  chmodSync(scratch.folder, 0o755);
  chmodSync(folder, 0o555);
  expect(scratch.runAsNobody("explain", "prod")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(caches()).toEqual(before);
  chmodSync(folder, 0o755);
});
