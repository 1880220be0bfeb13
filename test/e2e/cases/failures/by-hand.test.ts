import { expect, it } from "vitest";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { sleep, until } from "../../../../rig/until";
import { corefileOf, failing } from "./corefile";
import { deleted } from "./eviction";
import { cacheApp, expectNothingLostDuring, expectSame, underLoad } from "./under-load";
import { type PodObject, ledToCache, listenersInUse } from "../../lib/programs";

// Somebody changes the cache's Corefile by hand. The port of its readiness probe stays, on which the old cache answers.
const r = underLoad({ kubeProxyMode: "iptables", interception: "service-ip" });

/** Longer than a cache has to be ready before the rollout goes on, and than until the next attempt to start it. */
const longEnoughMs = 15_000;

it.each(failing)("led by hand to a Corefile that $what, it keeps its caches", async (wrong) => {
  await begin();
  const old = await r.pods(cacheApp);
  const good = corefileOf(r.objects());
  const other = { ...good, metadata: { ...good.metadata, name: "by-hand" }, data: { Corefile: wrong.corefile } };
  const led = JSON.stringify(daemonSet()).replace(`"${good.metadata.name}"`, `"${other.metadata.name}"`);
  await expectNothingLostDuring(r, `led by hand to a Corefile that ${wrong.what}`, async () => {
    await r.cluster().kubectl.apply([other, JSON.parse(led) as KubernetesObject], byHand);
    await expectRefused(old);
    await mend([daemonSet()]);
  });
  await r.cluster().kubectl.delete("configmap", other.metadata.name, "kube-system");
  await expectSame(r, cacheApp, old);
});

it("replaced under its name, a Corefile is read by no cache before its kubelet restarts, and then by none beside another", async () => {
  await begin();
  const { kubectl } = r.cluster();
  const good = corefileOf(r.objects());
  const restartCaches = () => kubectl.run(["rollout", "restart", "daemonset", cacheApp, "-n", "kube-system"]);
  const replace = async (by: KubernetesObject) => {
    await kubectl.delete("configmap", by.metadata.name, "kube-system");
    await kubectl.apply([by], byHand);
  };
  const restartKubelets = async () => {
    await until("caches that a starting kubelet leaves ready", 30, async () =>
      (await r.pods(cacheApp)).every((each) => isLeftReady(each)),
    );
    for (const node of r.cluster().nodes) await node.restartKubelet();
    await r.cluster().nodesReady();
  };
  await expectNothingLostDuring(r, "a ConfigMap replaced under its name", async () => {
    await replace({ ...good, data: { Corefile: failing[1]?.corefile } });
    await restartCaches();
    await kubectl.rolledOut("daemonset", cacheApp, "kube-system");
    const old = await r.pods(cacheApp);

    await restartKubelets();
    await restartCaches();
    await expectRefused(old);

    const lost = await r.podOf(cacheApp);
    await Promise.all((await onNodeOf(lost)).map((each) => deleted(r, each)));
    await until("the end of the node's cache", 60, async () => (await listenersInUse(r.node())) === 0);
    await expectRefused(old.filter(({ spec }) => spec.nodeName !== lost.spec.nodeName));

    await replace(good);
    await restartKubelets();
    await deleted(r, await r.podOf(cacheApp));
    await mend([]);
  });
});

/** As kubectl edit and kubectl replace do, nobody's fields are in the way. */
const byHand = { serverSide: true, fieldManager: "somebody" };

async function begin(): Promise<void> {
  await r.begin();
  for (const node of r.cluster().nodes) await ledToCache(node);
}

function daemonSet(): KubernetesObject {
  const found = r.objects().find(({ kind, metadata }) => kind === "DaemonSet" && metadata.name === cacheApp);
  if (found === undefined) throw new Error("no DaemonSet of the cache among the objects");
  return found;
}

/** A new cache does not start because of its Corefile, and only these are ready. */
async function expectRefused(old: readonly PodObject[]): Promise<void> {
  await until("the refusal of a Corefile", 60, async () => {
    const news = (await r.pods(cacheApp)).filter((each) => !old.some(sameAs(each)));
    return news.some((each) => JSON.stringify(each.status).includes("another cache runs on this node"));
  });
  await sleep(longEnoughMs);
  const ready = (await r.pods(cacheApp)).filter(({ status }) => status?.containerStatuses?.[0]?.ready === true);
  expect(ready.map(({ metadata }) => metadata.uid).sort()).toEqual(old.map(({ metadata }) => metadata.uid).sort());
}

/**
 * A starting kubelet reports a container unready that is younger than 10 s (kubeletRestartGracePeriod) until it has probed
 * it. The DaemonSet's controller would then put a new pod in the place of the old one.
 */
function isLeftReady({ status }: PodObject): boolean {
  const { running } = status?.containerStatuses?.[0]?.state ?? {};
  return running === undefined || Date.now() - Date.parse(running.startedAt ?? "") > 12_000;
}

function sameAs({ metadata: { uid } }: PodObject): (other: PodObject) => boolean {
  return ({ metadata }) => metadata.uid === uid;
}

async function onNodeOf({ spec }: PodObject): Promise<PodObject[]> {
  return (await r.pods(cacheApp)).filter((each) => each.spec.nodeName === spec.nodeName);
}

async function mend(objects: readonly KubernetesObject[]): Promise<void> {
  const { kubectl } = r.cluster();
  if (objects.length > 0) await kubectl.apply(objects, { serverSide: true, fieldManager: "argocd-controller" });
  await kubectl.rolledOut("daemonset", cacheApp, "kube-system", 180);
  for (const node of r.cluster().nodes) await ledToCache(node);
}
