import { describe, expect, it } from "vitest";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { PacketMatch } from "../../../src/model/packet-rules/match";
import { packetRules } from "../../../src/model/packet-rules/packet-rules";
import type { RuleSet } from "../../../src/model/packet-rules/rule-set";
import { blocksOf, headOf, stateOf } from "../../../src/model/query-path/blocks";
import { answers, traces, type Trace } from "../../../src/model/query-path/trace";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { componentOf } from "../../cached";
import { modeTable, propsOf } from "./mode-table";

const base = { clusterDNS: ["10.96.0.10"], agentImage: "agent:1" } as const;

function find(props: ClusterDnsProps, asker: Trace["asker"], protocol: Trace["protocol"], cache: Trace["cache"]) {
  return traces(clusterOf(props).said).find((t) => t.asker === asker && t.protocol === protocol && t.cache === cache);
}

describe("the path of a query", () => {
  type Asking = `${Trace["asker"]}, ${"UDP" | "TCP"}, ${Trace["cache"]}`;
  const rules = { packetFilter: "iptables", interception: "link-local" } as const;
  const [ipvs, upstreams] = [{ kubeProxyMode: "ipvs" } as const, { agentImage: undefined }];
  const cilium = { kubeProxyMode: "none", cni: "cilium" } as const;
  const [service, link, past] = ["10.96.0.10", "169.254.20.10", "169.254.20.12"];
  const byProxy = ["kube-proxy", "cluster DNS"] as const;
  const byIpvs = ["IPVS", "cluster DNS"] as const;
  const [silent, restarted] = ["seen queries and no answer", "the kubelet has restarted"];
  const [hung, socket, noSocket] = ["the cache answers nobody", "a socket of the cache", "no socket listens there"];
  const own = "no rule leads the node's own queries";
  const toChain = "out of use: to kube-proxy's chain of the Service";
  const off = { watchdog: false } as const;
  const oneMiss = { packetFilter: "iptables", watchdogThresholds: { failures: 1 } } as const;
  const state = (value: "draining" | "disabled") => ({ nodeLocalDNS: { state: value } });
  it.each<[props: Partial<ClusterDnsProps>, query: Asking, hops: readonly (string | undefined)[], lostUntil?: string]>([
    [{}, "pod, UDP, alive", [service, socket, "cache"]],
    [{}, "pod, TCP, dead", [service, noSocket, ...byProxy]],
    [{}, "pod, UDP, hung", [service, hung, ...byProxy], silent],
    [{}, "host process, UDP, dead", [service, hung, ...byProxy], "refused a query"],
    [upstreams, "pod, UDP, alive", [service, "node-cache's link and rules", "cache"]],
    [upstreams, "host process, TCP, dead", [service, "nobody"], restarted],
    [upstreams, "cache, UDP, none", ["Service kube-dns-upstream", ...byProxy]],
    [{}, "cache, UDP, none", [past, `translated to ${service}`, ...byProxy]],
    [ipvs, "pod, UDP, dead", [link, `${noSocket}: NAT to ${service}`, ...byIpvs]],
    [{ ...ipvs, nodeLocalDNS: off }, "pod, UDP, hung", [link, `${hung}: NAT to ${service}`, ...byIpvs], silent],
    [{ ...ipvs, nodeLocalDNS: { ...off, packetFilter: "iptables" } }, "pod, UDP, hung", [link, "nobody"], restarted],
    [{ nodeLocalDNS: { packetFilter: "iptables" } }, "pod on the host network, UDP, alive", [service, own, ...byProxy]],
    [{ nodeLocalDNS: rules }, "host process, TCP, dead", [link, toChain, ...byProxy], "next probe is refused"],
    [cilium, "pod, UDP, alive", [service, "Cilium: a cache is ready", "cache"]],
    [{ kubeProxyMode: "none" }, "pod, UDP, none", [service, "whatever handles Services", "cluster DNS"]],
    [{ ...ipvs, ...state("draining") }, "older pod, UDP, none", [link, `the rules stay: NAT to ${service}`, ...byIpvs]],
    [{ nodeLocalDNS: off }, "host process, UDP, alive", [service, own, ...byProxy]],
    [{}, "host process, UDP, alive", [service, "the watchdog confirms", "cache"]],
    [{ nodeLocalDNS: rules }, "host process, UDP, hung", [link, toChain, ...byProxy], "seen 3 misses in a row"],
    [{ nodeLocalDNS: { ...rules, ...off } }, "host process, UDP, dead", [link, "nobody"], restarted],
    [{ nodeLocalDNS: oneMiss }, "pod, UDP, hung", [service, "out of use", ...byProxy], "seen a miss"],
    [cilium, "host process, UDP, alive", [service, "redirects the host's sockets only", "cache or cluster DNS"]],
    [cilium, "pod, UDP, hung", [service, "no cache is ready", "cluster DNS"], "Cilium knows"],
    [{ ...ipvs, clusterDNS: [`${service}`, "fd::a"] }, "cache, UDP, none", [`${service} or fd::a`, ...byIpvs]],
    [state("draining"), "older pod, UDP, none", []],
    [{ ...ipvs, ...state("disabled") }, "older pod, UDP, none", []],
  ])("%j: %s: %j", (props, query, hops, lostUntil) => {
    const [asker, protocol, cache] = query.split(", ") as [Trace["asker"], "UDP" | "TCP", Trace["cache"]];
    const trace = find({ ...base, kubeProxyMode: "iptables", ...props }, asker, protocol, cache);
    const texts = trace?.hops.map(({ text }) => text) ?? [];
    expect(texts).toEqual(hops.map((hop) => expect.stringContaining(hop ?? "?")));
    expect(texts.at(-1)).toBe(hops.at(-1));
    expect(trace?.lostUntil).toEqual(lostUntil && expect.stringContaining(lostUntil));
  });
});

describe("pictures agree with the rules", () => {
  const ours = modeTable.filter(({ linkMadeBy }) => linkMadeBy === "agent");
  const filters = ["nftables", "iptables"] as const;
  const rows = ours.flatMap((row) => filters.map((packetFilter) => ({ ...row, packetFilter })));

  function rulesOf(row: (typeof rows)[number]) {
    const plain = propsOf(row);
    const props = { ...plain, nodeLocalDNS: { ...plain.nodeLocalDNS, packetFilter: row.packetFilter } };
    return { props, set: packetRules({ ...componentOf("watchdog", props).config, cache: true }) };
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
      const ofHost = matches.filter((match) => match.switch === "host" && match.protocol === protocol.toLowerCase());
      const isLed = ofHost.some(({ destination }) => destination === row.podsAsk[0]);
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
  const lost = { alive: false, hung: true, dead: false };
  const told = blocks.map((block) => [
    headOf(block),
    Object.fromEntries(block.paths.map((path) => [stateOf(path).replace("cache ", ""), "lostUntil" in path])),
  ]);
  expect(told).toEqual([
    ["pod: UDP, TCP", lost],
    ["host process, pod on the host network: UDP", { ...lost, dead: true }],
    ["host process, pod on the host network: TCP", { "": false }],
    ["the cache, for names of the cluster that it lacks: UDP, TCP", { "": false }],
  ]);
});
