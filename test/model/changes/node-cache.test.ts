import { describe, expect, it } from "vitest";
import { renderCluster } from "../../../src/charts/render-cluster";
import { changes } from "../../../src/model/changes/changes";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { KubernetesObject } from "../../../src/model/kubernetes/object";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";

const serviceIp: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", agentImage: "agent:1" };
const linkLocal: ClusterDnsProps = { ...serviceIp, kubeProxyMode: "ipvs" };
const nodeCache: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "ipvs" };
const more = { nodeLocalDNS: { cache: { success: { ttl: 5 } } } };
const without = { nodeLocalDNS: { state: "disabled" } } as const;
const noDns = "while one is replaced, the node's pods have no DNS";
const clusterDns = "pods then ask the cluster DNS, without a cache";

function objectsOf(props: ClusterDnsProps): KubernetesObject[] {
  return renderCluster(clusterOf(props)).components.flatMap(({ objects }) => objects as readonly KubernetesObject[]);
}

describe("what becomes of pods' DNS shows", () => {
  it.each<[what: string, before: ClusterDnsProps, after: KubernetesObject[], shown: string | undefined]>([
    ["where upstream's node-cache alone answers", nodeCache, objectsOf({ ...nodeCache, ...more }), noDns],
    ["not where rules lead past it", linkLocal, objectsOf({ ...linkLocal, ...more }), undefined],
    ["not where kube-proxy does", { ...nodeCache, kubeProxyMode: "nftables" }, objectsOf(nodeCache), undefined],
    ["once there is no cache", serviceIp, objectsOf({ ...serviceIp, ...without }), clusterDns],
    ["not where a warning says that nobody answers", linkLocal, objectsOf({ ...linkLocal, ...without }), undefined],
    ["not where nothing is left", serviceIp, [], undefined],
  ])("%s", (_, before, after, shown) => {
    const found = changes(objectsOf(before), after).find(
      ({ object }) => object === "DaemonSet kube-system/node-local-dns",
    );
    expect(found?.effects.filter((effect) => effect.includes(" DNS"))).toEqual(shown === undefined ? [] : [shown]);
  });
});
