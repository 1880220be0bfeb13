import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterEach, expect, it } from "vitest";
import { createLog } from "../../../../src/agent/log";
import { issue } from "../../../../src/agent/webhook/certificates/issue";
import { runWebhook } from "../../../../src/agent/webhook/run";
import { everything } from "../reviews";
import { freePort, serverName, writeCertificate } from "../webhook-process";

let folder: string | undefined;
let ended: Promise<void> | undefined;
afterEach(async () => {
  process.emit("SIGTERM");
  await ended;
  if (folder) rmSync(folder, { recursive: true, force: true });
});

it("serves with a new certificate without a restart, keeps the old one while the files do not fit, and says when it is over", async () => {
  folder = mkdtempSync(join(tmpdir(), "cluster-dns-webhook-"));
  const [port, probePort] = (await Promise.all([freePort(), freePort()])) as [number, number];
  const [first, second] = [await issue([serverName], new Date()), await issue([serverName], new Date())];
  writeCertificate(folder, first);
  const config = { ...everything, version: 1, port, probePort, certificates: { kind: "files", folder } } as const;
  const log = createLog("webhook");
  log.level = "silent";
  ended = runWebhook(config, log, { roundMs: 20, retryMs: 20, drainMs: 0 });
  const ready = async () => (await fetch(`http://127.0.0.1:${probePort}/readyz`)).text();

  await eventually(() => served(port, first.authority), true);
  writeCertificate(folder, { ...second, key: first.key });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await served(port, first.authority)).toBe(true);
  writeCertificate(folder, second);
  await eventually(() => served(port, second.authority), true);
  expect(await served(port, first.authority)).toBe(false);
  expect(await ready()).toBe("ok\n");

  writeCertificate(folder, await issue([serverName], new Date(Date.now() - 40 * 86_400_000)));
  await eventually(async () => (await ready()).startsWith("its certificate ended"), true);
});

/** Whether a handshake that trusts this authority alone succeeds. */
function served(port: number, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, servername: serverName, ca }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

async function eventually(probe: () => Promise<boolean>, wanted: boolean): Promise<void> {
  for (let i = 0; i < 200 && (await probe().catch(() => !wanted)) !== wanted; i++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await probe()).toBe(wanted);
}
