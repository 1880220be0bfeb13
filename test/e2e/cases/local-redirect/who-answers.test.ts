import { beforeAll, expect, it } from "vitest";
import { clusterDns } from "../../../../rig/cluster/addresses";
import { dig } from "../../lib/dig";
import { withCilium } from "./with-cilium";
import { eventually } from "../../../eventually";
import { askedNames } from "../../lib/usual";
import { cacheProcess } from "../../lib/programs";

const { cluster, commit, answeredBy, cacheOn, usesCache } = withCilium();

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
        await expectNames(asker, server);
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
    await expectNames(client);
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
    for (const server of Object.values(clusterDns)) await expectNames(asker, server);
  }
});

/** Both names, by both protocols. */
async function expectNames(asker: Parameters<typeof dig>[0], server: string = clusterDns.ipv4): Promise<void> {
  for (const name of askedNames)
    expect(await dig(asker, { server, name })).toMatchObject({
      udp: { status: "NOERROR" },
      tcp: { status: "NOERROR" },
    });
}
