import type { FamilyAddresses, RuleInput } from "./packet-rules";
import { counters, type Chain, type Match, type Protocol, type Rule, type Verdict } from "./rule";

/**
 * The rules for nftables, alike in every mode but for the way past the cache.
 *
 * A query to the link-local address that no cache takes is given the service IP before conntrack sees it, so that kube-proxy, whatever
 * its mode, meets an ordinary packet to the Service; the bit on the connection tells which replies to give their old source back. With IPVS
 * the service IP is local and NAT of our own comes first, so there it is a DNAT.
 */
export function nftRules(input: RuleInput, families: readonly FamilyAddresses[]): Chain[] {
  const { markBit: bit } = input;
  const translates = input.kubeProxyMode !== "ipvs";
  const perFamily = (rules: (addresses: FamilyAddresses) => Rule[]) => families.flatMap(rules);
  const chains: Chain[] = [
    {
      hook: "prerouting",
      stage: "raw",
      rules: [...perFamily(fromLoopback), ...perFamily((a) => queriesOfPods(input, a))],
    },
    {
      hook: "output",
      stage: "raw",
      rules: [
        ...perFamily(canary),
        ...perFamily((a) => repliesAndProbes(input, a)),
        ...perFamily((a) => queriesOfHost(input, a)),
      ],
    },
    { hook: "postrouting", stage: "nat", rules: perFamily((a) => masqueradeOwn(input, a)) },
    { hook: "postrouting", stage: "last", rules: perFamily((a) => countReplies(input, a)) },
  ];
  const translation: Chain[] = [
    { hook: "prerouting", stage: "mangle", rules: perFamily((a) => markConnection(a, bit)) },
    { hook: "output", stage: "mangle", rules: perFamily((a) => markConnection(a, bit)) },
    { hook: "postrouting", stage: "after-nat", rules: perFamily((a) => restoreSource(a, bit)) },
    { hook: "input", stage: "after-nat", rules: perFamily((a) => restoreSource(a, bit)) },
  ];
  const destinationNat: Chain[] = [
    { hook: "prerouting", stage: "nat", rules: perFamily(dnatToService) },
    { hook: "output", stage: "nat", rules: perFamily(dnatToService) },
  ];
  return [...chains, ...(translates ? translation : destinationNat)].filter((chain) => chain.rules.length > 0);
}

const protocols: readonly Protocol[] = ["udp", "tcp"];

// What is on the loopback has been through the output hook, where its way was decided.
function fromLoopback({ family }: FamilyAddresses): Rule[] {
  return [{ family, match: { link: "lo" }, verdicts: [{ kind: "return" }] }];
}

function queriesOfPods(input: RuleInput, { family, linkLocal, serviceIP }: FamilyAddresses): Rule[] {
  return protocols.flatMap((protocol) => [
    ...(input.cache ? toSocket(family, { address: linkLocal, protocol }) : []),
    { family, match: query(linkLocal, protocol), verdicts: pastCache(input, linkLocal, serviceIP, protocol) },
    ...(input.cache && input.interception === "service-ip" ? toSocket(family, { address: serviceIP, protocol }) : []),
  ]);
}

/**
 * To the cache if its socket is there. For TCP that is decided by the packet that opens the connection, and remembered: `own` misses the
 * half-open socket of a handshake, and `any` alone would take what a wildcard socket of another program answers, and would break off the
 * connections with the cluster DNS in the moment in which the cache comes back.
 */
function toSocket(family: Rule["family"], listener: { address: string; protocol: Protocol }): Rule[] {
  const match: Match = { ...query(listener.address, listener.protocol), switch: "pods" };
  const take: Verdict[] = [
    { kind: "count", counter: counters.requests(listener) },
    { kind: "notrack" },
    { kind: "return" },
  ];
  if (listener.protocol === "udp") return [{ family, match: { ...match, socket: "own" }, verdicts: take }];
  return [
    { family, match: { ...match, opens: true, socket: "own" }, verdicts: [{ kind: "remember" }, ...take] },
    { family, match: { ...match, remembered: true, socket: "any" }, verdicts: [{ kind: "remember" }, ...take] },
  ];
}

// With IPVS it comes to our DNAT.
function pastCache(
  { kubeProxyMode, markBit }: RuleInput,
  linkLocal: string,
  serviceIP: string,
  protocol: Protocol,
): Verdict[] {
  const count: Verdict = { kind: "count", counter: counters.past({ address: linkLocal, protocol }) };
  if (kubeProxyMode === "ipvs") return [count, { kind: "return" }];
  return [
    count,
    { kind: "set-mark", bit: markBit },
    { kind: "set-destination", address: serviceIP },
    { kind: "return" },
  ];
}

/** Nobody sends this but the watchdog, to see by the kernel's refusal that the table is there. */
function canary({ family, probe }: FamilyAddresses): Rule[] {
  return [
    {
      family,
      match: { source: probe, destination: probe, protocol: "udp", destinationPort: 53 },
      verdicts: [{ kind: "drop" }],
    },
  ];
}

// Replies from both addresses in every mode: a cache of the mode before still answers what it took. Tracked, such a reply would be a flow of
// its own, in which the next query from that port is its reply and passes kube-proxy by.
function repliesAndProbes(input: RuleInput, addresses: FamilyAddresses): Rule[] {
  const verdicts: Verdict[] = [{ kind: "notrack" }, { kind: "return" }];
  const { family, probe, linkLocal, serviceIP } = addresses;
  const replies = [linkLocal, serviceIP].flatMap((source) =>
    protocols.map((protocol): Rule => ({ family, match: { source, protocol, sourcePort: 53 }, verdicts })),
  );
  const probes = listenAddresses(input, addresses).flatMap((address) =>
    protocols.map((protocol): Rule => ({ family, match: { source: probe, ...query(address, protocol) }, verdicts })),
  );
  return [...replies, ...probes];
}

// The output hook has no socket match. The switch is a set element that the kernel forgets unless it is refreshed.
function queriesOfHost(input: RuleInput, addresses: FamilyAddresses): Rule[] {
  const { family, linkLocal, serviceIP } = addresses;
  const local = listenAddresses(input, addresses).flatMap((address) =>
    protocols.map((protocol): Rule => ({
      family,
      match: { switch: "host", ...query(address, protocol) },
      verdicts: [{ kind: "notrack" }, { kind: "return" }],
    })),
  );
  const past = protocols.map((protocol): Rule => ({
    family,
    match: query(linkLocal, protocol),
    verdicts: pastCache(input, linkLocal, serviceIP, protocol),
  }));
  return [...local, ...past];
}

// A connection of an earlier query straight to the Service, from the same port, must not keep the bit, nor the other way round.
function markConnection({ family, serviceIP }: FamilyAddresses, bit: number): Rule[] {
  return protocols.flatMap((protocol) => [
    {
      family,
      match: { ...query(serviceIP, protocol), connectionMark: bit, direction: "original" },
      verdicts: [{ kind: "clear-connection-mark", bit }],
    },
    {
      family,
      match: { ...query(serviceIP, protocol), mark: bit },
      verdicts: [
        { kind: "set-connection-mark", bit },
        { kind: "clear-mark", bit },
      ],
    },
  ]);
}

function restoreSource({ family, linkLocal, serviceIP }: FamilyAddresses, bit: number): Rule[] {
  return protocols.map((protocol) => ({
    family,
    match: { source: serviceIP, protocol, sourcePort: 53, connectionMark: bit, direction: "reply" },
    verdicts: [{ kind: "set-source", address: linkLocal }],
  }));
}

function dnatToService({ family, linkLocal, serviceIP }: FamilyAddresses): Rule[] {
  return protocols.map((protocol) => ({
    family,
    match: query(linkLocal, protocol),
    verdicts: [{ kind: "dnat", address: serviceIP }],
  }));
}

// A host process gets the address that it asks as its source; without clusterCIDR kube-proxy would let that out to another node. The
// service IP stays a moment when its mode is left.
function masqueradeOwn({ kubeProxyMode }: RuleInput, { family, linkLocal, serviceIP }: FamilyAddresses): Rule[] {
  const sources = kubeProxyMode === "ipvs" ? [linkLocal] : [linkLocal, serviceIP];
  return sources.map((source) => ({
    family,
    match: { source, link: "not-lo" },
    verdicts: [{ kind: "masquerade" }],
  }));
}

// What the cache sent and nobody dropped on the way. Replies that were translated are tracked.
function countReplies(input: RuleInput, addresses: FamilyAddresses): Rule[] {
  return listenAddresses(input, addresses).flatMap((address) =>
    protocols.map((protocol) => ({
      family: addresses.family,
      match: { source: address, protocol, sourcePort: 53, link: "not-lo", untracked: true },
      verdicts: [{ kind: "count", counter: counters.replies({ address, protocol }) }],
    })),
  );
}

function listenAddresses({ interception, cache }: RuleInput, { linkLocal, serviceIP }: FamilyAddresses): string[] {
  if (!cache) return [];
  return interception === "service-ip" ? [linkLocal, serviceIP] : [linkLocal];
}

function query(destination: string, protocol: Protocol): Match {
  return { destination, protocol, destinationPort: 53 };
}
