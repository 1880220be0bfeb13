import { beforeAll, expect, it } from "vitest";
import { clusterDns } from "../../../../rig/cluster/addresses";
import { cacheProcess } from "../../lib/node-cache";
import { dig } from "../../lib/dig";
import { withCilium } from "./with-cilium";
import { eventually } from "../../../eventually";

const { cluster, commit, answeredBy, cacheOn, usesCache } = withCilium();
const names = ["kubernetes.default.svc.cluster.local", "www.outside.test"];

beforeAll(async () => {
  await commit();
  for (const { index } of cluster().nodes) await usesCache(index);
});

it.each([1, 2])(
  "on node %i, its own cache answers pods and the node itself, by each family and protocol",
  async (index) => {
    const node = cluster().node(index);
    const cache = await cacheOn(node.name);
    for (const asker of [await cluster().pod(`client-${index}`), node])
      for (const server of Object.values(clusterDns)) {
        expect(await answeredBy(asker, server)).toEqual([cache, cache]);
        for (const name of names) expect(await statuses(asker, server, name)).toEqual(["NOERROR", "NOERROR"]);
      }
  },
);

it("past a cache that hangs, and back to it", async () => {
  const node = cluster().node(1);
  const client = await cluster().pod("client-1");
  const hung = await cacheProcess(cluster(), node);
  process.kill(hung, "SIGSTOP");
  try {
    // Before the kubelet ends it.
    await eventually("nobody to answer", 30, () => answeredBy(client), ["NXDOMAIN", "NXDOMAIN"]);
    for (const name of names) expect(await statuses(client, clusterDns.ipv4, name)).toEqual(["NOERROR", "NOERROR"]);
  } finally {
    process.kill(hung, "SIGCONT");
  }
  await usesCache(1);
});

it("where no cache runs, the cluster DNS answers (cilium#41450)", async () => {
  await commit({ nodePlacement: { nodeSelector: { "kubernetes.io/hostname": "node-1" } } });
  await usesCache(1);
  for (const asker of [await cluster().pod("client-2"), cluster().node(2)]) {
    expect(await answeredBy(asker)).toEqual(["NXDOMAIN", "NXDOMAIN"]);
    for (const server of Object.values(clusterDns))
      for (const name of names) expect(await statuses(asker, server, name)).toEqual(["NOERROR", "NOERROR"]);
  }
});

async function statuses(asker: Parameters<typeof dig>[0], server: string, name: string): Promise<string[]> {
  const { udp, tcp } = await dig(asker, { server, name });
  return [udp.status, tcp.status];
}
