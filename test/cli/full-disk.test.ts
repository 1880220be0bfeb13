import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../repository";
import { type Run, Scratch } from "./scratch";

const scratch = Scratch.forEach();

function runOnFullDisk(...args: string[]): Run {
  return scratch.runBundleWith({ NODE_OPTIONS: `--require ${join(root, "test/cli/full-disk.cjs")}` }, ...args);
}

it("synth on a full disk leaves nothing, and can run again", () => {
  scratch.write("clusters/prod.yaml", "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n");
  expect(runOnFullDisk("synth")).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("ENOSPC") });
  scratch.write("dist/notes.txt", "not ours");
  expect(runOnFullDisk("synth").exitCode).toBe(1);
  expect(readdirSync(join(scratch.folder, "dist"))).toEqual(["notes.txt"]);
  expect(scratch.run("synth").exitCode).toBe(0);
});

it("init on a full disk leaves no file that is in its way later", () => {
  scratch.write("clusters/notes.txt", "not ours");
  expect(runOnFullDisk("init", "prod")).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("ENOSPC") });
  expect(readdirSync(join(scratch.folder, "clusters"))).toEqual(["notes.txt"]);
  expect(scratch.run("init", "prod").exitCode).toBe(0);
});
