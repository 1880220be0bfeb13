import { describe, expect, it } from "vitest";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";

const iptables = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" } as const;
const withImage = { ...iptables, agentImage: "agent:1" };

function componentsOf(props: ClusterDnsProps): string[] {
  return Object.entries(clusterOf(props).components).flatMap(([name, settings]) => (settings ? [name] : []));
}

describe("the components of a cluster", () => {
  it.each<[what: string, props: ClusterDnsProps, components: string[]]>([
    ["without the agent's image", iptables, ["authoritativeDns", "nodeLocalDns"]],
    [
      "with two IP families, but without it",
      { ...iptables, clusterDNS: ["10.96.0.10", "fd00:96::a"] },
      ["authoritativeDns"],
    ],
    ["with it", withImage, ["authoritativeDns", "nodeLocalDns", "watchdog"]],
    [
      "whose DNS is there already",
      { ...withImage, authoritativeDNS: { kind: "Existing" } },
      ["nodeLocalDns", "watchdog"],
    ],
    ["without a watchdog", { ...withImage, nodeLocalDNS: { watchdog: false } }, ["authoritativeDns", "nodeLocalDns"]],
    ["with Cilium", { ...withImage, kubeProxyMode: "none", cni: "cilium" }, ["authoritativeDns", "nodeLocalDns"]],
    ["with neither kube-proxy nor Cilium", { ...withImage, kubeProxyMode: "none" }, ["authoritativeDns"]],
    ["without a cache", { ...withImage, nodeLocalDNS: { state: "disabled" } }, ["authoritativeDns"]],
    // Rules must outlive the cache while running pods ask its address, even for those who want no watchdog.
    [
      "that leaves its cache",
      { ...withImage, nodeLocalDNS: { state: "draining", watchdog: false } },
      ["authoritativeDns", "watchdog"],
    ],
    ["that has left it", { ...withImage, nodeLocalDNS: { state: "removed" } }, ["authoritativeDns", "cleanup"]],
  ])("%s", (_, props, components) => {
    expect(componentsOf(props)).toEqual(components);
  });
});
