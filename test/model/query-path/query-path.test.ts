import { describe, expect, it } from "vitest";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { proxyMode } from "../../../src/model/query-path/proxy-modes";
import { modeTable, propsOf } from "./mode-table";

function queryPath(props: ClusterDnsProps) {
  return clusterOf(props).queryPath;
}

// What the cache binds and where it forwards would make a loop, or pods without DNS, if they did not agree with each
// other and with what pods ask.
describe("the mode table", () => {
  it.each(modeTable)("$kubeProxyMode, cni $cni, $interception, $clusterDNS", (row) => {
    expect(queryPath(propsOf(row))).toMatchObject({
      state: "enabled",
      interception: row.interception,
      listenAddresses: row.listen,
      clusterServers: row.forward,
      podNameservers: row.podsAsk,
      linkMadeBy: row.linkMadeBy,
      engine: row.linkMadeBy === "node-cache" ? "node-cache" : "coredns",
    });
  });

  it.each(modeTable)("kubelets of $kubeProxyMode, cni $cni, $interception, $clusterDNS are told what pods ask", (row) =>
    expect(clusterOf(propsOf(row)).kubelet.clusterDNS).toEqual(row.podsAsk),
  );
});

it("with rules for iptables, which never lead the node's own queries to the cache, it asks the service IP", () => {
  const nodeLocalDNS = { packetFilter: "iptables" } as const;
  const props = { kubeProxyMode: "iptables", agentImage: "agent:1", nodeLocalDNS } as const;
  expect(queryPath({ ...props, clusterDNS: ["fd00:96::a", "10.96.0.10"] })?.clusterServers).toEqual(["fd00:96::a"]);
});

it.each([
  ["iptables", undefined, ["service-ip", "link-local"], false],
  ["nftables", undefined, ["service-ip", "link-local"], false],
  ["ipvs", undefined, ["link-local"], true],
  ["none", undefined, [], false],
  ["none", "other", [], false],
  ["none", "cilium", ["local-redirect"], false],
  // Cilium's eBPF would bypass the rules.
  ["iptables", "cilium", ["local-redirect"], false],
  ["nftables", "cilium", ["local-redirect"], false],
  ["ipvs", "cilium", ["local-redirect"], false],
] as const)(
  "interceptions of %s, cni %s, the default first: %j; addresses of Services are the node's own: %s",
  (kubeProxyMode, cni, interceptions, serviceIPsAreLocal) =>
    expect(proxyMode({ kubeProxyMode, cni })).toMatchObject({ interceptions, serviceIPsAreLocal }),
);

it("leaving link-local draining keeps the addresses, which running pods have in their resolv.conf", () => {
  const props = { clusterDNS: ["10.96.0.10", "fd00:96::a"], kubeProxyMode: "ipvs", agentImage: "agent:1" } as const;
  const { linkLocalAddresses } = queryPath({ ...props, nodeLocalDNS: { state: "draining" } }) ?? {};
  expect(linkLocalAddresses).toEqual(["169.254.20.10", "fd00:169:254:20::10"]);
});

it("configured link-local addresses stand in the order of clusterDNS, with the default for a family that has none", () => {
  const props = { kubeProxyMode: "ipvs", agentImage: "agent:1", clusterDNS: ["fd00:96::a", "10.96.0.10"] } as const;
  const listened = (...linkLocalAddresses: string[]) =>
    queryPath({ ...props, nodeLocalDNS: { linkLocalAddresses } })?.linkLocalAddresses;
  expect(listened("169.254.30.10")).toEqual(["fd00:169:254:20::10", "169.254.30.10"]);
  expect(listened("169.254.30.10", "fd00::30")).toEqual(["fd00::30", "169.254.30.10"]);
});

it.each<[what: string, said: Partial<ClusterDnsProps>]>([
  ["is the domain", {}],
  ["is another domain, and a resolvers' file, if named", { clusterDomain: "k8s.example", resolvConf: "/run/resolv" }],
  ["is that pods inherit nothing", { resolvConf: "" }],
])("what else kubelets are told %s", (_, said) => {
  const props = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", ...said } as const;
  const told = { clusterDNS: props.clusterDNS, clusterDomain: "cluster.local", ...said };
  const kind = { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" };
  expect(clusterOf(props).kubelet).toEqual({ ...kind, ...told });
});
