import { X509Certificate } from "node:crypto";
import { connect } from "node:tls";
import { afterEach, expect, onTestFinished, it } from "vitest";
import { createLog } from "../../../../src/agent/log";
import { issue } from "../../../../src/agent/webhook/certificates/issue";
import { runWebhook } from "../../../../src/agent/webhook/run";
import { everything } from "../reviews";
import { serverName, writeCertificate } from "../../../../rig/admission/webhook-process";
import { freePort } from "../../../../rig/free-port";
import { eventually } from "../../../eventually";
import { temporaryFolder } from "../../../temporary-folder";

let ended: Promise<void> | undefined;
afterEach(async () => {
  process.emit("SIGTERM");
  await ended;
});

it("serves a new certificate without a restart, keeps the old one while the files mismatch, reports expiry", async () => {
  const folder = temporaryFolder("webhook", onTestFinished);
  const [port, probePort] = (await Promise.all([freePort(), freePort()])) as [number, number];
  const [first, second] = [await issue([serverName], new Date()), await issue([serverName], new Date())];
  writeCertificate(folder, first);
  const config = { ...everything, version: 1, port, probePort, certificates: { kind: "files", folder } } as const;
  const log = createLog("webhook");
  log.level = "silent";
  ended = runWebhook(config, log, { roundMs: 20, retryMs: 20, drainMs: 0 });
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${probePort}${path}`)).text();
  const failures = async () => Number(/certificate_errors_total (\d+)/.exec(await get("/metrics"))?.[1]);

  await eventually("the first one", 20, () => served(port, first.authority), true, 20);
  // Between two certificates, the two files do not match for a while: rounds fail.
  const before = await failures();
  writeCertificate(folder, { ...second, key: first.key });
  await eventually("two failures", 20, failures, (count) => expect(count).toBeGreaterThan(before + 1), 20);
  expect(await get("/metrics")).toMatch(/certificate_failing 1$/m);
  expect(await served(port, first.authority)).toBe(true);
  writeCertificate(folder, second);
  await eventually("the second one", 20, () => served(port, second.authority), true, 20);
  expect(await served(port, first.authority)).toBe(false);
  expect(await get("/readyz")).toBe("ok\n");
  const issuers = (await get("/metrics")).match(/certificate_(failing|issuer\{).* [01]$/gm);
  const { issuer } = new X509Certificate(second.certificate);
  expect(issuers?.map((line) => line.replace(/^cluster_dns_webhook_/, ""))).toEqual([
    `certificate_issuer{issuer="${issuer}"} 1`,
    "certificate_failing 0",
  ]);

  writeCertificate(folder, await issue([serverName], new Date(Date.now() - 40 * 86_400_000)));
  const isTold = (text: string) => expect(text).toMatch(/^its certificate expired/);
  await eventually("a report of its end", 20, () => get("/readyz"), isTold, 20);
});

/** Whether a handshake succeeds that trusts only this authority. */
function served(port: number, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, servername: serverName, ca }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
