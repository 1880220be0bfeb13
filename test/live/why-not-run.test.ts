import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { kubectl } from "../../src/live/kubectl";
import { throughKubectl } from "../../src/live/kubectl-proxy";
import { whyNotRun } from "../../src/live/why-not-run";
import { temporaryFolder } from "../temporary-folder";

it("says that there is no kubectl", async () => {
  const path = process.env["PATH"];
  process.env["PATH"] = "/nowhere";
  try {
    const said = /^kubectl .*: there is no kubectl on the PATH; install it, or add its folder$/;
    expect(kubectl(["version"], undefined).failure).toMatch(said);
    await expect(throughKubectl("prod", async () => {})).rejects.toThrow(said);
  } finally {
    process.env["PATH"] = path;
  }
});

it("leaves out what client-go logs before kubectl says it, and what kubectl repeats", () => {
  const path = process.env["PATH"];
  const folder = temporaryFolder("kubectl", onTestFinished);
  const said = "The connection to the server localhost:8080 was refused";
  const log = 'E1124 01:40:53.571269 9829 memcache.go:265] "Unhandled Error"';
  writeFileSync(
    join(folder, "kubectl"),
    `#!/bin/sh\nprintf '%s\\n' '${log}' '${log}' '${said}' '${said}' >&2; exit 1\n`,
    { mode: 0o755 },
  );
  process.env["PATH"] = folder;
  try {
    expect(kubectl(["version"], undefined).failure).toBe(`kubectl version: ${said}`);
  } finally {
    process.env["PATH"] = path;
  }
});

it("says how long it was waited for", () => {
  const error = Object.assign(new Error("spawnSync kubectl ETIMEDOUT"), { code: "ETIMEDOUT" });
  expect(whyNotRun(error, 120_000)).toBe("does not end within 120 s; does the context's API server answer?");
});
