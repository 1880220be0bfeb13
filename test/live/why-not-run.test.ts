import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { kubectl, whyNotRun } from "../../src/live/kubectl";
import { throughKubectl } from "../../src/live/kubectl-proxy";
import { temporaryFolder } from "../temporary-folder";

afterEach(() => void vi.unstubAllEnvs());

it("says that there is no kubectl", async () => {
  vi.stubEnv("PATH", "/nowhere");
  const said = /^kubectl .*: there is no kubectl on the PATH; install it, or add its folder$/;
  expect(kubectl(["version"], undefined).failure).toMatch(said);
  await expect(throughKubectl("prod", async () => {})).rejects.toThrow(said);
});

it("leaves out what client-go logs before kubectl says it, and what kubectl repeats", () => {
  const folder = temporaryFolder("kubectl", onTestFinished);
  const said = "The connection to the server localhost:8080 was refused";
  const log = 'E1124 01:40:53.571269 9829 memcache.go:265] "Unhandled Error"';
  const script = `#!/bin/sh\nprintf '%s\\n' '${log}' '${log}' '${said}' '${said}' >&2; exit 1\n`;
  writeFileSync(join(folder, "kubectl"), script, { mode: 0o755 });
  vi.stubEnv("PATH", folder);
  expect(kubectl(["version"], undefined).failure).toBe(`kubectl version: ${said}`);
});

it("says how long it was waited for", () => {
  const error = Object.assign(new Error("spawnSync kubectl ETIMEDOUT"), { code: "ETIMEDOUT" });
  expect(whyNotRun(error, 120_000)).toBe("does not end within 120 s; does the context's API server answer?");
});
