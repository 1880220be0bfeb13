import { beforeAll } from "vitest";
import { clusterDns } from "../../../../rig/cluster/addresses";
import type { Cluster } from "../../../../rig/cluster/cluster";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { pod } from "../../../../rig/cluster/objects";
import { toolsVersion } from "../../../../rig/tools";
import { until } from "../../../../rig/until";
import { renderCluster } from "../../../../src/charts/render-cluster";
import { clusterOf } from "../../../../src/model/cluster/cluster";
import { healthZone } from "../../../../src/model/corefile/node-local-dns";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import type { NodeLocalDnsOptions } from "../../../../src/model/props/node-local-dns";
import { dig } from "../../lib/dig";
import { argoCd, sync, untilTerminated } from "../../lib/gitops";
import { useCluster } from "../../lib/use-cluster";

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
  let current: readonly KubernetesObject[] = [];

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
      const { components } = renderCluster(clusterOf(props));
      const [before, after] = [current, components.flatMap(({ objects }) => objects as KubernetesObject[])];
      current = after;
      await sync(cluster(), argoCd, { before, after });
      await untilTerminated(cluster(), "kube-system");
    },

    async answeredBy(asker, server = clusterDns.ipv4) {
      const { udp, tcp } = await dig(asker, { server, name: healthZone, type: "TXT" });
      return [udp, tcp].map(({ status, answers: [text = ""] }) => /pod=([\w-]+)/.exec(text)?.[1] ?? status);
    },

    async cacheOn(node) {
      const field = `spec.nodeName=${node}`;
      const pods = await cluster().kubectl.list("pods", "kube-system", "k8s-app=node-local-dns", field);
      return pods[0]?.metadata.name ?? "";
    },

    async usesCache(index) {
      const [client, cache] = [await cluster().pod(`client-${index}`), await x.cacheOn(`node-${index}`)];
      const answers = async () => (await x.answeredBy(client)).every((each) => each === cache);
      await until(`answers of ${cache}`, 60, answers);
    },
  };
  return x;
}
