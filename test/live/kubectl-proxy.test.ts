import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { throughKubectl } from "../../src/live/kubectl-proxy";
import { eventually } from "../eventually";
import { emptyFolder } from "../temporary-folder";

const folder = emptyFolder("kubectl-proxy");
beforeAll(() => void vi.stubEnv("PATH", folder + delimiter + process.env["PATH"]));
afterAll(() => void vi.unstubAllEnvs());

function kubectl(script: string): void {
  writeFileSync(join(folder, "kubectl"), `#!/bin/sh\n${script}`);
  chmodSync(join(folder, "kubectl"), 0o755);
}

it.each([
  ["", "does not start within 0.3 s"],
  ["echo log in at https://login.example >&2", "log in at https://login.example"],
  ["printf '%s\\n' 'E1124 10:00:00.000000 9 x.go:1] no' 'error: no' >&2", "error: no"],
])("gives up on a kubectl that does not start, and says what that said: %s", async (said, told) => {
  kubectl(`${said}\nexec sleep 60\n`);
  await expect(throughKubectl("prod", () => Promise.reject(new Error("asked")), 300)).rejects.toThrow(
    new RegExp(`^kubectl --context prod proxy: ${told}$`),
  );
});

it("ends also what a kubectl that is another program has started", async () => {
  const ended = join(folder, "ended");
  kubectl(`(trap 'echo > ${ended}; exit' TERM; echo serving; while [ -e ${folder} ]; do sleep 0.1; done) &\nwait\n`);
  await throughKubectl("prod", () => Promise.resolve());
  await eventually("its end", 30, () => existsSync(ended), true);
});
