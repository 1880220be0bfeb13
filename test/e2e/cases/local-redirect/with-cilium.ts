import { beforeAll } from "vitest";
import { clusterDns } from "../../../../rig/cluster/addresses";
import type { Cluster } from "../../../../rig/cluster/cluster";
import { pod } from "../../../../rig/cluster/objects";
import { toolsVersion } from "../../../../rig/tools";
import { until } from "../../../../rig/until";
import { healthZone } from "../../../../src/model/corefile/node-local-dns";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import type { NodeLocalDnsOptions } from "../../../../src/model/props/node-local-dns";
import { dig } from "../../lib/dig";
import { argoCd, Commits } from "../../lib/gitops";
import { useCluster } from "../../lib/use-cluster";
import { podOn } from "../../lib/pods";

/** Who sends a query: a pod or a node. */
type Asker = Parameters<typeof dig>[0];

/** A cluster of two nodes with Cilium, and a pod on each that asks: `client-1`, `client-2`. */
export interface WithCilium {
  cluster(): Cluster;
  /** Brings the cluster to a version of the cluster file. */
  commit(options?: NodeLocalDnsOptions): Promise<void>;
  /** The pods whose cache answers, by UDP and TCP; of a query that no cache answers, the code. */
  answeredBy(asker: Asker, server?: string): Promise<string[]>;
  /** The cache's pod on a node. */
  cacheOn(node: string): Promise<string>;
  /** Waits until the pod on a node is answered by the node's cache. */
  usesCache(index: number): Promise<void>;
}

export function withCilium(): WithCilium {
  const cluster = useCluster({ cilium: true, ipFamilies: "dual" });
  const commits = new Commits(cluster);

  beforeAll(async () => {
    const { kubectl, nodes } = cluster();
    await kubectl.apply(nodes.map(({ name, index }) => pod({ name: `client-${index}`, node: name })));
    for (const { index } of nodes)
      await kubectl.run(["wait", "--for=condition=Ready", `pod/client-${index}`, "--timeout=300s"]);
  });

  const x: WithCilium = {
    cluster,

    async commit(nodeLocalDNS = {}) {
      const props: ClusterDnsProps = {
        clusterDNS: [clusterDns.ipv4, clusterDns.ipv6],
        kubeProxyMode: "none",
        cni: "cilium",
        ciliumVersion: toolsVersion("cilium").slice(1),
        nodeLocalDNS,
      };
      await commits.commit(argoCd, props);
    },

    async answeredBy(asker, server = clusterDns.ipv4) {
      const { udp, tcp } = await dig(asker, { server, name: healthZone, type: "TXT" });
      return [udp, tcp].map(({ status, answers: [text = ""] }) => /pod=([\w-]+)/.exec(text)?.[1] ?? status);
    },

    async cacheOn(node) {
      return (await podOn(cluster(), "node-local-dns", node)).metadata.name;
    },

    async usesCache(index) {
      const [client, cache] = [await cluster().pod(`client-${index}`), await x.cacheOn(`node-${index}`)];
      const answers = async () => (await x.answeredBy(client)).every((each) => each === cache);
      await until(`answers of ${cache}`, 60, answers);
    },
  };
  return x;
}
