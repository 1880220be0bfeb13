import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { freePort } from "../../rig/free-port";
import { agentProgram } from "../../rig/kernel/agent";
import type { WebhookConfig } from "../../src/model/admission/webhook/webhook-config";
import { temporaryFolder } from "../temporary-folder";

const folder = temporaryFolder("exit");

it("a program that fails exits with 1, although it serves health and would wait for SIGTERM", async () => {
  const other = createServer().listen(0);
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const certificates = { kind: "files", folder } as const;
  const config: WebhookConfig = { version: 1, port, probePort: await freePort(), certificates };
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
  const args = [agentProgram(), "webhook", "--config", join(folder, "config.json")];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 100_000 });
  other.close();
  expect(stdout).toMatch(/"level":60.*EADDRINUSE/);
  expect(status).toBe(1);
});
