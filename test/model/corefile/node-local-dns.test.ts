import { describe, expect, it } from "vitest";
import { renderCorefile } from "../../../src/model/corefile/render";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { modeTable, propsOf } from "../query-path/mode-table";
import { blockOf } from "./block-of";
import { pluginsOfNodeCache } from "./plugins-of-node-cache";
import { readCorefile } from "./read-corefile";
import { nodeLocalDnsCorefileOf } from "../../../rig/coredns/corefile-of";

const iptables = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", agentImage: "agent:1" } as const;

function corefile(props: ClusterDnsProps): string {
  return renderCorefile(nodeLocalDnsCorefileOf(props));
}

it.each<[what: string, line: string, props: Partial<ClusterDnsProps>]>([
  ["keep negative answers for five seconds", "denial 9984 5\n", {}],
  ["unless said otherwise", "denial 9984 20\n", { nodeLocalDNS: { cache: { denial: { ttl: 20 } } } }],
  ["are asked beside metrics, which may be on loopback", "prometheus 127.0.0.1:9253\n", { metricsAddress: "loopback" }],
  ["have the cluster's domain", "force_tcp", { clusterDomain: "k8s.example" }],
])("the cluster's names: %s", (_, line, props) => {
  const { clusterDomain = "cluster.local" } = props;
  expect(blockOf(corefile({ ...iptables, ...props }), clusterDomain)).toContain(line);
});

describe("the health zone", () => {
  // An answer of the old pod would let a new one that serves nothing pass for ready.
  it("identifies the pod that answers and its configuration", () => {
    const health = readCorefile(corefile(iptables), { POD_NAME: "node-local-dns-x", CONFIG_HASH: "0123456789" }).at(-1);
    expect(health?.plugins.find(({ name }) => name === "template")).toMatchObject({
      args: ["IN", "TXT", "health.node-local-dns.internal"],
      options: [{ name: "answer", args: ['{{ .Name }} 0 IN TXT "pod=node-local-dns-x" "config=0123456789"'] }],
    });
  });

  it("is asked on the link if the cache makes that itself, in brackets with IPv6", () => {
    const upstreams = { ...iptables, agentImage: undefined };
    expect(corefile({ ...upstreams, clusterDNS: ["fd00:96::a"] })).toContain("health [fd00:169:254:20::10]");
  });
});

describe.each(modeTable)("$kubeProxyMode, cni $cni, $interception, $clusterDNS", (row) => {
  const blocks = readCorefile(corefile(propsOf(row)), { KUBE_DNS_UPSTREAM_SERVICE_HOST: "upstream-service" });
  const all = (of: string) =>
    blocks.map(({ plugins }) => plugins.filter(({ name }) => name === of).map(({ args }) => args));
  const words = (of: string) => all(of).map(([first]) => first);

  it("every zone binds the same addresses, and none of the node's other ones", () => {
    const bound = row.listen.length > 0 ? row.listen : undefined;
    expect(words("bind")).toEqual(blocks.map(() => bound));
  });

  it("the cluster's names go where nobody of us listens, others to the node's resolvers", () => {
    const cluster = [row.forward].flat();
    const resolvConf = row.linkMadeBy === "agent" ? "/run/outside-servers/resolv.conf" : "/etc/resolv.conf";
    const outside = [...["in-addr.arpa", "ip6.arpa"].map((zone) => [zone, ...cluster]), [".", resolvConf]];
    // node-cache has no view: one block is for UDP and TCP.
    const others = row.linkMadeBy === "node-cache" ? [outside] : [outside, outside];
    expect(all("forward")).toEqual([[[".", ...cluster]], ...others, []]);
  });

  it("metrics and errors are everywhere, health once", () => {
    // Without its variable: on the node's network an address in brackets.
    const endpoint = row.listen.length > 0 ? "[]:9253" : ":9253";
    expect(words("prometheus")).toEqual(blocks.map(() => [endpoint]));
    expect(words("errors")).toEqual(blocks.map(() => []));
    expect(words("health").filter(Boolean)).toHaveLength(1);
  });
});

it.each(modeTable)(
  "what k8s-dns-node-cache lacks it is not told: $kubeProxyMode, cni $cni, $interception, $clusterDNS",
  (row) => {
    const hostAliases = [{ ip: "10.1.1.1", hostnames: ["a.example"] }];
    const props = propsOf(row);
    const nodeLocalDNS = { ...props.nodeLocalDNS, engine: "node-cache" as const };
    const stubDomains = { "b.example": ["10.1.1.2"] };
    const blocks = readCorefile(corefile({ ...props, nodeLocalDNS, hostAliases, stubDomains }));
    const used = new Set(blocks.flatMap(({ plugins }) => plugins.map(({ name }) => name)));
    expect([...used].filter((name) => !pluginsOfNodeCache.includes(name))).toEqual([]);
  },
);
