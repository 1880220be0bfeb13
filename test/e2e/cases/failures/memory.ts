import { expect, it } from "vitest";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { sleep, until } from "../../../../rig/until";
import { expectLostAtMost } from "../../../expect-lost";
import { outOfMemory } from "../../lib/out-of-memory";
import { cacheApp, watchdogApp, type UnderLoad } from "./under-load";
import { ledToCache } from "../../lib/programs";
import type { Workload } from "../../../../src/model/kubernetes/kinds";
import { isWorkload } from "../../../../src/model/kubernetes/object";

/** The kernel kills a program because its container's memory is used up. */
export function memory(r: UnderLoad): void {
  it.each([
    ["the watchdog", watchdogApp, () => 0],
    ["one of two CoreDNS", "kube-dns", () => 0],
    // Queries that reach a process while it is torn down: 10 ms of them, or of as long as that took at most.
    ["the cache", cacheApp, (endedMs: number) => Math.max(10, endedMs + 5) / 2],
  ] as const)("out of memory: %s", async (what, app, allowed) => {
    await r.begin();
    let endedMs = 0;
    const report = await r.during(`out of memory: ${what}`, async () => {
      const { uid } = (await r.podOf(app)).metadata;
      const status = async () => (await r.podOf(app)).status?.containerStatuses?.[0];
      const restarts = (await status())?.restartCount ?? 0;
      endedMs = await outOfMemory(r.node().podProcess(uid ?? ""), limitOf(r.objects(), app));
      await until(`a restart of ${what}`, 60, async () => {
        const now = await status();
        return now?.ready === true && (now.restartCount ?? 0) > restarts;
      });
      expect((await status())?.lastState?.terminated?.reason).toBe("OOMKilled");
      await ledToCache(r.node());
      await sleep(2000);
    });
    expectLostAtMost(report, { lost: allowed(endedMs) });
  });
}

/** The memory limit in a program's manifest. */
function limitOf(objects: readonly KubernetesObject[], app: string): string | undefined {
  const workloads = objects.filter((object): object is KubernetesObject & Workload => isWorkload(object));
  const found = workloads.find(({ spec }) => spec.selector?.matchLabels?.["k8s-app"] === app);
  if (found === undefined) throw new Error(`no workload of ${app}`);
  return found.spec.template.spec.containers[0]?.resources?.limits?.memory;
}
