import { expect, it } from "vitest";
import { renderCluster } from "../../../src/charts/render-cluster";
import { changes } from "../../../src/model/changes/changes";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { KubernetesObject } from "../../../src/model/kubernetes/object";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import type { StepId } from "../../../src/model/steps/step";
import { applied } from "./applied";

const serviceIp: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", agentImage: "agent:1" };
const linkLocal: ClusterDnsProps = { ...serviceIp, kubeProxyMode: "ipvs" };
const nodeCache: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "ipvs" };
const more = { nodeLocalDNS: { cache: { success: { ttl: 5 } } } };
const without = { nodeLocalDNS: { state: "disabled" } } as const;

function objectsOf(props: ClusterDnsProps): KubernetesObject[] {
  return renderCluster(clusterOf(props)).components.flatMap(({ objects }) => objects as readonly KubernetesObject[]);
}

it.each<[what: string, before: ClusterDnsProps, after: KubernetesObject[], shown: StepId | undefined]>([
  ["where upstream's node-cache alone answers", nodeCache, objectsOf({ ...nodeCache, ...more }), "interrupt-dns"],
  ["not where rules lead past it", linkLocal, objectsOf({ ...linkLocal, ...more }), undefined],
  ["not where kube-proxy does", { ...nodeCache, kubeProxyMode: "nftables" }, objectsOf(nodeCache), undefined],
  ["once there is no cache", serviceIp, objectsOf({ ...serviceIp, ...without }), "lose-cache"],
  ["not where a warning says that nobody answers", linkLocal, objectsOf({ ...linkLocal, ...without }), undefined],
  ["not where nothing is left", serviceIp, [], undefined],
])("what becomes of pods' DNS shows: %s", (_, before, after, shown) => {
  const steps = changes(applied(objectsOf(before)), applied(after)).flatMap((change) => change.steps);
  const ids = steps.map(({ id }) => id).filter((id) => id === "interrupt-dns" || id === "lose-cache");
  expect(ids).toEqual(shown === undefined ? [] : [shown]);
});
