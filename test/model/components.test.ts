import { describe, expect, it } from "vitest";
import { authoritativeDnsProps, cleanupProps, nodeLocalDnsProps, watchdogProps } from "../../src/model/components";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";

const iptables = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" } as const;
const withImage = { ...iptables, agentImage: "agent:1" };

function componentsOf(props: ClusterDnsProps): string[] {
  const all = {
    authoritativeDns: authoritativeDnsProps(props),
    nodeLocalDns: nodeLocalDnsProps(props),
    watchdog: watchdogProps(props),
    cleanup: cleanupProps(props),
  };
  return Object.entries(all).flatMap(([name, component]) => (component ? [name] : []));
}

describe("the components of a cluster", () => {
  it.each<[what: string, props: ClusterDnsProps, components: string[]]>([
    ["without the agent's image", iptables, ["authoritativeDns"]],
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

it("each gets the cluster's facts and its own options, and not those of others", () => {
  const props: ClusterDnsProps = {
    ...withImage,
    upstreamNameservers: ["9.9.9.9"],
    authoritativeDNS: { replicas: 3 },
    nodeLocalDNS: { markBit: 8192 },
  };
  expect(authoritativeDnsProps(props)).toEqual({ ...withImage, upstreamNameservers: ["9.9.9.9"], replicas: 3 });
  expect(nodeLocalDnsProps(props)).toEqual({ ...withImage, upstreamNameservers: ["9.9.9.9"], markBit: 8192 });
});
