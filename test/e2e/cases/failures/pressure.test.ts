import { it } from "vitest";
import { pod } from "../../../../rig/cluster/objects";
import { until } from "../../../../rig/until";
import { cacheApp, expectNothingLostDuring, expectSame, underLoad, watchdogApp } from "./under-load";
import type { PodObject } from "../../lib/programs";
import { underPressure } from "../../lib/node-faults";

const r = underLoad({ kubeProxyMode: "iptables", interception: "service-ip" });
const apps = [cacheApp, watchdogApp, "kube-dns"];

it("a kubelet under pressure spares the cluster's DNS", async () => {
  await r.begin();
  const node = r.node().name;
  await r.cluster().startPod({ name: "lesser", node });
  const before = await Promise.all(apps.map((app) => r.pods(app)));
  const here = await Promise.all(apps.map((app) => r.podOf(app)));
  const status = async (name: string) => (await r.cluster().kubectl.get<PodObject>("pod", name, "default"))?.status;
  // Its phase may be Succeeded, because its program ends well when it is told to.
  const evicted = async (name: string) =>
    (await status(name))?.conditions?.some(({ reason }) => reason === "TerminationByKubelet");
  const rejected = async (name: string) => (await status(name))?.reason === "Evicted";
  await expectNothingLostDuring(r, "a kubelet that evicts", () =>
    underPressure(r.cluster(), r.node(), async () => {
      await evictions("the end of a lesser pod", () => evicted("lesser"));
      await r.cluster().kubectl.apply([pod({ name: "late", node })]);
      await evictions("the rejection of another", () => rejected("late"));
      // It went on to those, and nothing is left for it.
      await evictions("the names of those that it spares", async () => {
        const log = r.node().log("kubelet");
        const spares = `"Eviction manager: cannot evict a critical pod" pod="kube-system/`;
        return here.every(({ metadata: { name } }) => log.includes(`${spares}${name}"`));
      });
    }),
  );
  for (const [index, app] of apps.entries()) await expectSame(r, app, before[index] ?? []);
});

/** Waits for something that the kubelet's eviction manager does. */
async function evictions(what: string, probe: () => Promise<boolean | undefined>): Promise<void> {
  try {
    await until(what, 90, probe);
  } catch (error) {
    const lines = r.node().log("kubelet").split("\n");
    const told = lines.filter((line) => /eviction|lesser|late/i.test(line)).slice(-30);
    throw new Error([`the kubelet of ${r.node().name} says:`, ...told].join("\n"), { cause: error });
  }
}
