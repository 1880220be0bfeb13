import { expect, it } from "vitest";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { pauseImage } from "../../../../rig/cluster/node-files";
import { pod } from "../../../../rig/cluster/objects";
import { sleep, until } from "../../../../rig/until";
import { parseQuantity } from "../../../../src/model/syntax/quantity";
import {
  cacheApp,
  expectNothingLostDuring,
  expectSame,
  untilReplaced,
  watchdogApp,
  type UnderLoad,
} from "./under-load";
import { type PodObject, ledToCache } from "../../lib/programs";
import { underPressure } from "../../lib/node-faults";

/** Of the class system-node-critical. */
const nodeCritical = 2_000_001_000;

/** What takes others off a node, and not the cache. */
export function spared(r: UnderLoad): void {
  it("no pod that fills the node takes the cache's place", async () => {
    await r.begin();
    const { kubectl } = r.cluster();
    const higher = priorityClass("higher", nodeCritical + 1);
    await expect(kubectl.apply([higher])).rejects.toThrow(/maximum allowed value of a user defined priority/);
    const before = await r.pods(cacheApp);
    // More than is left without all lesser pods: it would fit only in place of its equals.
    const cpu = (await freeMillicores(r, nodeCritical)) + 10;
    await expectNothingLostDuring(r, "preemption", async () => {
      await kubectl.apply([filler(r, "same-priority", cpu, { priorityClassName: "system-node-critical" })]);
      const isRefused = async () => (await scheduled(r, "same-priority"))?.status === "False";
      await until("the scheduler's decision", 30, isRefused);
      await sleep(5000);
      expect(await scheduled(r, "same-priority")).toMatchObject({ status: "False", reason: "Unschedulable" });
    });
    await expectSame(r, cacheApp, before);
    await kubectl.delete("pod", "same-priority", "default");
  });
}

/** What ends the cache's pod, and has it replaced. */
export function ended(r: UnderLoad): void {
  const ways = [
    ["deleted", deleted],
    ["evicted by the API", evicted],
  ] as const;
  it.each(ways)("its pod is %s, and no query lost", async (what, end) => {
    await r.begin();
    await expectNothingLostDuring(r, `pod ${what}`, async () => {
      const old = await r.podOf(cacheApp);
      await end(r, old);
      await untilReplaced(r, cacheApp, old);
      await ledToCache(r.node());
    });
    // Its kubelet has told the watchdog, which leads past it meanwhile: rig/kernel/failover-cases.
    const { metadata } = await r.podOf(watchdogApp);
    expect(await r.cluster().kubectl.run(["logs", metadata.name, "-n", "kube-system"])).toContain("a cache stops");
  });

  it("deleted on a node under pressure, it is admitted again", async () => {
    await r.begin();
    await expectNothingLostDuring(r, "pod deleted under node pressure", () =>
      underPressure(r.cluster(), r.node(), async () => {
        const old = await r.podOf(cacheApp);
        await deleted(r, old);
        await untilReplaced(r, cacheApp, old);
        await ledToCache(r.node());
      }),
    );
  });
}

export async function deleted(r: UnderLoad, { metadata }: PodObject): Promise<void> {
  await r.cluster().kubectl.run(["delete", "pod", metadata.name, "-n", "kube-system", "--wait=false"]);
}

async function evicted(r: UnderLoad, { metadata: { name, namespace } }: PodObject): Promise<void> {
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } };
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
  await r.cluster().kubectl.run(["create", "--raw", path, "-f", "-"], { input: JSON.stringify(eviction) });
}

/** A pod that asks for this much of the client's node. */
export function filler(r: UnderLoad, name: string, cpu: number, spec: object = {}): KubernetesObject {
  const resources = { requests: { cpu: `${cpu}m` } };
  const nodeSelector = { "kubernetes.io/hostname": r.node().name };
  return pod({ name, spec: { containers: [{ name: "pause", image: pauseImage, resources }], nodeSelector, ...spec } });
}

/** What a pod of this priority could still request on the client's node, if those of lower priority were gone. */
export async function freeMillicores(r: UnderLoad, priority = -Infinity): Promise<number> {
  const node = await r.cluster().kubectl.get<{ status: { allocatable: { cpu: string } } }>("node", r.node().name);
  const pods = (await r.cluster().kubectl.list<Requesting>("pods")).filter(
    ({ spec }) => spec.nodeName === r.node().name && spec.priority >= priority,
  );
  const requested = pods.flatMap(({ spec }) => spec.containers.map(({ resources }) => resources?.requests?.cpu));
  return millicores(node?.status.allocatable.cpu) - requested.reduce((total, each) => total + millicores(each), 0);
}

interface Requesting {
  readonly spec: { nodeName?: string; priority: number; containers: { resources?: { requests?: { cpu?: string } } }[] };
}

function millicores(quantity = "0"): number {
  return Number(parseQuantity(quantity)?.nanos ?? 0n) / 1_000_000;
}

function priorityClass(name: string, value: number): KubernetesObject {
  return { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name }, value };
}

async function scheduled(r: UnderLoad, name: string): Promise<{ status: string; reason?: string } | undefined> {
  const found = await r.cluster().kubectl.get<PodObject>("pod", name, "default");
  return found?.status?.conditions?.find(({ type }) => type === "PodScheduled");
}
