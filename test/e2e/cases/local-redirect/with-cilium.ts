import { beforeAll } from "vitest";
import { clusterDns } from "../../../../rig/cluster/addresses";
import { toolsVersion } from "../../../../rig/tools";
import { until } from "../../../../rig/until";
import { healthZone } from "../../../../src/model/corefile/node-local-dns";
import type { NodeLocalDnsOptions } from "../../../../src/model/props/node-local-dns";
import { dig } from "../../lib/dig";
import { argoCd, Commits } from "../../lib/gitops";
import { useCluster } from "../../lib/use-cluster";
import { podOn } from "../../lib/programs";

/** Who sends a query: a pod or a node. */
type Asker = Parameters<typeof dig>[0];

/** A cluster of two nodes with Cilium, and a pod on each that asks: `client-1`, `client-2`. */
export function withCilium() {
  const cluster = useCluster({ cilium: true, ipFamilies: "dual" });
  const commits = new Commits(cluster);

  beforeAll(async () => {
    for (const { name, index } of cluster().nodes) await cluster().startPod({ name: `client-${index}`, node: name });
  });

  /** The pods whose cache answers, by UDP and TCP; of a query that no cache answers, the code. */
  async function answeredBy(asker: Asker, server: string = clusterDns.ipv4): Promise<string[]> {
    const { udp, tcp } = await dig(asker, { server, name: healthZone, type: "TXT" });
    return [udp, tcp].map(({ status, answers: [text = ""] }) => /pod=([\w-]+)/.exec(text)?.[1] ?? status);
  }

  /** The cache's pod on a node. */
  const cacheOn = async (node: string) => (await podOn(cluster(), "node-local-dns", node)).metadata.name;

  return {
    cluster,
    answeredBy,
    cacheOn,

    /** Brings the cluster to a version of the cluster file. */
    async commit(nodeLocalDNS: NodeLocalDnsOptions = {}): Promise<void> {
      await commits.commit(argoCd, {
        clusterDNS: [clusterDns.ipv4, clusterDns.ipv6],
        kubeProxyMode: "none",
        cni: "cilium",
        ciliumVersion: toolsVersion("cilium").slice(1),
        nodeLocalDNS,
      });
    },

    /** Waits until the pod on a node is answered by the node's cache. */
    async usesCache(index: number): Promise<void> {
      const [client, cache] = [await cluster().pod(`client-${index}`), await cacheOn(`node-${index}`)];
      await until(`answers of ${cache}`, 60, async () => (await answeredBy(client)).every((each) => each === cache));
    },
  };
}
