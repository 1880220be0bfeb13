import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { agentConfig, agentProgram } from "../../rig/kernel/agent";

const folder = mkdtempSync(join(tmpdir(), "exit-"));

afterAll(() => rmSync(folder, { recursive: true }));

it("a program that fails exits with 1, although it would wait for SIGTERM", () => {
  for (const command of ["ip", "nft", "iptables-nft-save", "iptables-legacy-save"]) {
    writeFileSync(join(folder, command), "#!/bin/sh\necho boom >&2\nexit 1\n");
    chmodSync(join(folder, command), 0o755);
  }
  writeFileSync(join(folder, "config.json"), JSON.stringify(agentConfig(["IPv4"], { state: "removed" })));
  const args = [agentProgram(), "cleanup", "--config", join(folder, "config.json"), "--watch-seconds", "1"];
  const { status, stdout } = spawnSync(process.execPath, args, {
    env: { ...process.env, PATH: folder },
    encoding: "utf8",
    timeout: 20_000,
  });
  expect(stdout).toMatch(/"level":60.*boom/);
  expect(status).toBe(1);
});
