import { beforeAll, expect, it } from "vitest";
import { clusterDns } from "../../../../rig/cluster/addresses";
import type { LoadReport } from "../../../../rig/load/report";
import { sleep } from "../../../../rig/until";
import { expectLostAtMost, expectNothingLost } from "../../../expect-lost";
import { withCilium } from "./with-cilium";
import { bothAnswers, toldLoad } from "../../lib/usual";
import { cacheProcess, killed } from "../../lib/programs";

const { cluster, commit, cacheOn, usesCache } = withCilium();
const disabled = { state: "disabled" } as const;

beforeAll(() => commit(disabled));

it("is enabled without losing a query", async () => {
  expectNothingLost(await during("switched on", () => commit()));
  await usesCache(1);
});

it("gets another Corefile without losing a query", async () => {
  await commit();
  expectNothingLost(await during("roll", () => commit({ cache: { success: { ttl: 20 } } })));
});

it("its pod is deleted without losing a query", async () => {
  await commit();
  const report = await during("pod deleted", async () => {
    const { kubectl } = cluster();
    await kubectl.run(["delete", "pod", await cacheOn("node-1"), "-n", "kube-system"], { timeoutSeconds: 60 });
    await kubectl.rolledOut("daemonset", "node-local-dns", "kube-system");
  });
  expectNothingLost(report);
  await usesCache(1);
});

it("loses, when killed, what is sent until its kubelet has started it again", async () => {
  await commit();
  const report = await during("SIGKILL", async () => {
    await killed(await cacheProcess(cluster(), cluster().node(1)));
    await usesCache(1);
  });
  expectLostAtMost(report, { windowMs: 3000 });
});

it("loses, when it hangs, what is sent until its kubelet finds it unready", async () => {
  await commit();
  const hung = await cacheProcess(cluster(), cluster().node(1));
  const report = await during("SIGSTOP", async () => {
    process.kill(hung, "SIGSTOP");
    await sleep(8000);
    process.kill(hung, "SIGCONT");
    await usesCache(1);
  });
  expectLostAtMost(report, { windowMs: 6000 });
});

it("is removed without losing a query", async () => {
  await commit();
  expectNothingLost(await during("removed", () => commit(disabled)));
});

/** Sends 500 queries a second from a pod, from before the change until after it. */
async function during(what: string, change: () => Promise<void>): Promise<LoadReport> {
  const report = await toldLoad(`Cilium, ${what}`, await cluster().pod("client-1"), clusterDns.ipv4, change);
  expect(report.answers).toEqual(bothAnswers);
  return report;
}
