import { describe, expect, it } from "vitest";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { PacketMatch } from "../../../src/model/packet-rules/match";
import { packetRules } from "../../../src/model/packet-rules/packet-rules";
import type { RuleSet } from "../../../src/model/packet-rules/rule-set";
import { blocksOf, headOf, stateOf } from "../../../src/model/query-path/blocks";
import { answers, traces, type Trace } from "../../../src/model/query-path/trace";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { modeTable, propsOf } from "./mode-table";

const base = { clusterDNS: ["10.96.0.10"], agentImage: "agent:1" } as const;

function find(props: ClusterDnsProps, asker: Trace["asker"], protocol: Trace["protocol"], cache: Trace["cache"]) {
  return traces(clusterOf(props).said).find((t) => t.asker === asker && t.protocol === protocol && t.cache === cache);
}

function way(trace: Trace | undefined): string {
  const hops = trace?.hops.map(({ text }) => text).join(" > ") ?? "";
  return trace?.lostUntil === undefined ? hops : `${hops} (lost until ${trace.lostUntil})`;
}

describe("the path of a query", () => {
  type Asking = `${Trace["asker"]}, ${"UDP" | "TCP"}, ${Trace["cache"]}`;
  const untilSilent = "(lost until the kernel has seen queries and no answer for a tenth of a second)";
  const rules = { packetFilter: "iptables", interception: "link-local" } as const;
  const [ipvs, upstreams] = [{ kubeProxyMode: "ipvs" } as const, { agentImage: undefined }];
  const cilium = { kubeProxyMode: "none", cni: "cilium" } as const;
  it.each<[props: Partial<ClusterDnsProps>, query: Asking, path: string]>([
    [{}, "pod, UDP, alive", "10.96.0.10 > a socket of the cache listens there > cache"],
    [{}, "pod, TCP, dead", "10.96.0.10 > no socket listens there > kube-proxy > cluster DNS"],
    [{}, "pod, UDP, hung", `10.96.0.10 > the cache answers nobody > kube-proxy > cluster DNS ${untilSilent}`],
    [
      {},
      "host process, UDP, dead",
      "10.96.0.10 > the cache answers nobody > kube-proxy > cluster DNS (lost until the kernel has refused a query)",
    ],
    [upstreams, "pod, UDP, alive", "10.96.0.10 > node-cache's link and rules > cache"],
    [upstreams, "host process, TCP, dead", "10.96.0.10 > nobody (lost until the kubelet has restarted the cache)"],
    [upstreams, "cache, UDP, none", "Service kube-dns-upstream > kube-proxy > cluster DNS"],
    [{}, "cache, UDP, none", "169.254.20.12 > translated to 10.96.0.10 > kube-proxy > cluster DNS"],
    [ipvs, "pod, UDP, dead", "169.254.20.10 > no socket listens there: NAT to 10.96.0.10 > IPVS > cluster DNS"],
    [
      { ...ipvs, nodeLocalDNS: { watchdog: false } },
      "pod, UDP, hung",
      `169.254.20.10 > the cache answers nobody: NAT to 10.96.0.10 > IPVS > cluster DNS ${untilSilent}`,
    ],
    [
      { ...ipvs, nodeLocalDNS: { watchdog: false, packetFilter: "iptables" } },
      "pod, UDP, hung",
      "169.254.20.10 > nobody (lost until the kubelet has restarted the cache)",
    ],
    [
      { nodeLocalDNS: { packetFilter: "iptables" } },
      "pod on the host network, UDP, alive",
      "10.96.0.10 > no rule leads the node's own queries to the cache > kube-proxy > cluster DNS",
    ],
    [
      { nodeLocalDNS: { ...rules } },
      "host process, TCP, dead",
      "169.254.20.10 > the watchdog has taken the cache out of use: to kube-proxy's chain of the Service > kube-proxy > cluster DNS (lost until the watchdog's next probe is refused)",
    ],
    [cilium, "pod, UDP, alive", "10.96.0.10 > Cilium: a cache is ready on this node > cache"],
    [{ kubeProxyMode: "none" }, "pod, UDP, none", "10.96.0.10 > whatever handles Services > cluster DNS"],
    [
      { ...ipvs, nodeLocalDNS: { state: "draining" } },
      "older pod, UDP, none",
      "169.254.20.10 > the rules stay: NAT to 10.96.0.10 > IPVS > cluster DNS",
    ],
    [
      { nodeLocalDNS: { watchdog: false } },
      "host process, UDP, alive",
      "10.96.0.10 > no rule leads the node's own queries to the cache > kube-proxy > cluster DNS",
    ],
    [{}, "host process, UDP, alive", "10.96.0.10 > the watchdog confirms that the cache answers > cache"],
    [
      { nodeLocalDNS: { ...rules } },
      "host process, UDP, hung",
      "169.254.20.10 > the watchdog has taken the cache out of use: to kube-proxy's chain of the Service > kube-proxy > cluster DNS (lost until the watchdog has seen 3 misses in a row)",
    ],
    [
      { nodeLocalDNS: { ...rules, watchdog: false } },
      "host process, UDP, dead",
      "169.254.20.10 > nobody (lost until the kubelet has restarted the cache)",
    ],
    [
      { nodeLocalDNS: { packetFilter: "iptables", watchdogThresholds: { failures: 1 } } },
      "pod, UDP, hung",
      "10.96.0.10 > the watchdog has taken the cache out of use > kube-proxy > cluster DNS (lost until the watchdog has seen a miss)",
    ],
    [
      cilium,
      "host process, UDP, alive",
      "10.96.0.10 > Cilium: redirects the host's sockets only if it handles them > cache or cluster DNS",
    ],
    [
      cilium,
      "pod, UDP, hung",
      "10.96.0.10 > Cilium: no cache is ready on this node > cluster DNS (lost until Cilium knows that the cache is not ready)",
    ],
    [{ ...ipvs, clusterDNS: ["10.96.0.10", "fd::a"] }, "cache, UDP, none", "10.96.0.10 or fd::a > IPVS > cluster DNS"],
    [{ nodeLocalDNS: { state: "draining" } }, "older pod, UDP, none", ""],
    [{ ...ipvs, nodeLocalDNS: { state: "disabled" } }, "older pod, UDP, none", ""],
  ])("%j: %s: %s", (props, query, path) => {
    const [asker, protocol, cache] = query.split(", ") as [Trace["asker"], "UDP" | "TCP", Trace["cache"]];
    expect(way(find({ ...base, kubeProxyMode: "iptables", ...props }, asker, protocol, cache))).toBe(path);
  });
});

describe("pictures agree with the rules", () => {
  const ours = modeTable.filter(({ linkMadeBy }) => linkMadeBy === "agent");
  const filters = ["nftables", "iptables"] as const;
  const rows = ours.flatMap((row) => filters.map((packetFilter) => ({ ...row, packetFilter })));

  function rulesOf(row: (typeof rows)[number]) {
    const plain = propsOf(row);
    const props = { ...plain, nodeLocalDNS: { ...plain.nodeLocalDNS, packetFilter: row.packetFilter } };
    const config = clusterOf(props).components.watchdog?.config;
    if (!config) throw new Error("no agent");
    return { props, set: packetRules({ ...config, cache: true }) };
  }

  it.each(rows)("$packetFilter, $kubeProxyMode, $interception, $clusterDNS: a pod, cache alive and dead", (row) => {
    const { props, set } = rulesOf(row);
    const [asked = ""] = row.podsAsk;
    for (const protocol of ["UDP", "TCP"] as const) {
      const query = { asked, protocol: protocol.toLowerCase() };
      const alive = find(props, "pod", protocol, "alive")?.hops.map(({ text }) => text);
      expect(alive).toEqual([expect.any(String), "a socket of the cache listens there", answers.cache]);
      expect(wayOf(set, { ...query, socket: true })).toBe("cache");
      const dead = find(props, "pod", protocol, "dead")?.hops.map(({ text }) => text) ?? [];
      const past = wayOf(set, { ...query, socket: false });
      const why = `no socket listens there${past === undefined ? "" : `: ${wordsOf(past, row.clusterDNS)}`}`;
      expect(dead).toEqual([expect.any(String), why, expect.any(String), answers.clusterDNS]);
    }
  });

  it.each(ours)("$kubeProxyMode, $interception, $clusterDNS: whether a process of the host is led to it", (row) => {
    const { props, set } = rulesOf({ ...row, packetFilter: "nftables" });
    if (set.packetFilter !== "nftables") throw new Error("not nftables");
    const matches = set.chains.flatMap(({ rules }) => rules.map(({ match }) => match));
    for (const protocol of ["UDP", "TCP"] as const) {
      const isLed = matches.some(
        (match) =>
          match.switch === "host" && match.protocol === protocol.toLowerCase() && row.podsAsk[0] === match.destination,
      );
      const answer = find(props, "host process", protocol, "alive")?.hops.at(-1)?.text;
      expect({ protocol, answer }).toEqual({ protocol, answer: isLed ? answers.cache : answers.clusterDNS });
    }
  });
});

interface Query {
  readonly asked: string;
  readonly protocol: string;
  /** Whether a socket takes the packet. */
  readonly socket: boolean;
}

type Way = "cache" | "kube-proxy-chain" | { readonly translated: string } | { readonly dnat: string } | undefined;

/** Where the rules lead the first packet of a pod's query; undefined: they leave it alone. */
function wayOf(set: RuleSet, { asked, protocol, socket }: Query): Way {
  const isMet = (match: PacketMatch & { readonly socket?: unknown; readonly remembered?: true }) =>
    (match.destination === undefined || match.destination === asked) &&
    (match.protocol === undefined || match.protocol === protocol) &&
    (match.socket === undefined || socket) &&
    match.remembered === undefined;
  if (set.packetFilter === "nftables") {
    const steps = set.chains
      .filter(({ hook }) => hook === "prerouting")
      .flatMap(({ rules }) => rules)
      .filter(({ match }) => match.destination === asked && isMet(match))
      .flatMap(({ statements }) => statements);
    for (const step of steps) {
      if (step.kind === "notrack") return "cache";
      if (step.kind === "set-destination") return { translated: step.address };
      if (step.kind === "dnat") return { dnat: step.address };
    }
    return undefined;
  }
  const targets = set.families
    .flatMap(({ chains }) => chains)
    .filter(({ from, jumps }) => from === "PREROUTING" && jumps.some(({ match }) => isMet(match)))
    .flatMap(({ rules }) => rules)
    .flatMap(({ match, target }) => (target !== undefined && isMet(match) ? [target] : []));
  for (const target of targets) {
    if (target === "NOTRACK") return "cache";
    if (typeof target === "object" && "dnat" in target) return { dnat: target.dnat };
    if (typeof target === "object" && "kubeProxyChain" in target) return "kube-proxy-chain";
  }
  return undefined;
}

/** A way past the cache, in the words of a picture. */
function wordsOf(past: Exclude<Way, undefined>, clusterDNS: readonly string[]): string {
  if (typeof past === "string") return past === "cache" ? past : "to kube-proxy's chain of the Service";
  const [verb, address] = "dnat" in past ? ["NAT", past.dnat] : ["translated", past.translated];
  expect(address).toBe(clusterDNS[0]);
  return `${verb} to ${clusterDNS.join(" or ")}`;
}

it("blocks join askers and protocols whose paths are all the same, and states of the cache with one path", () => {
  const blocks = blocksOf(traces(clusterOf({ ...base, kubeProxyMode: "iptables" }).said));
  const told = blocks.map((block) => [headOf(block), ...block.paths.map((path) => [stateOf(path), path.lostUntil])]);
  const unanswered = "the kernel has seen queries and no answer for a tenth of a second";
  expect(told).toEqual([
    ["pod: UDP, TCP", ["cache alive", undefined], ["cache hung", unanswered], ["cache dead", undefined]],
    [
      "host process, pod on the host network: UDP",
      ["cache alive", undefined],
      ["cache hung", unanswered],
      ["cache dead", "the kernel has refused a query"],
    ],
    ["host process, pod on the host network: TCP", ["", undefined]],
    ["the cache, for names of the cluster that it lacks: UDP, TCP", ["", undefined]],
  ]);
  expect(blocks.map(({ paths }) => paths.map((path) => "lostUntil" in path))).toEqual([
    [false, true, false],
    [false, true, true],
    [false],
    [false],
  ]);
});
