import { kubeSvcChain } from "./kube-svc-chain";
import type { FamilyAddresses, RuleInput } from "./packet-rules";
import type { Chain, EntryMatch, Match, Protocol, Rule } from "./rule";

/**
 * The rules for iptables. For service-ip those of KEP-1024: NOTRACK is the switch, here with a socket match before it; requests and replies
 * are accepted where a policy would drop them. For link-local the chain NODE-LOCAL-DNS in nat, which sends what no socket takes to
 * the Service: under ipvs by DNAT to its address, under iptables through kube-proxy's own chains. NOTRACK comes before it, because
 * NAT pins a flow with a fixed source port to where its first query went.
 *
 * Hazard of the jump into KUBE-SVC chains: kube-proxy cannot delete a chain that is in use, so that while the Service has no
 * endpoint every sync of kube-proxy on the node fails. The rules for nftables have no such tie.
 */
export function iptablesRules(input: RuleInput, families: readonly FamilyAddresses[]): Chain[] {
  const perFamily = <T>(make: (addresses: FamilyAddresses) => T[]) => families.flatMap(make);
  const local: Chain[] = [
    {
      hook: "prerouting",
      stage: "raw",
      entry: { place: "first", matches: perFamily((a) => queries(input, a)) },
      rules: perFamily((a) => switchToCache(input, a)),
    },
    { hook: "input", stage: "filter", entry: everything(families), rules: perFamily((a) => acceptQueries(input, a)) },
    { hook: "output", stage: "filter", entry: everything(families), rules: perFamily((a) => acceptReplies(input, a)) },
    {
      hook: "postrouting",
      stage: "mangle",
      entry: everything(families),
      rules: perFamily((a) => countReplies(input, a)),
    },
  ];
  const always: Chain[] = [
    {
      hook: "output",
      stage: "raw",
      entry: everything(families),
      rules: perFamily((a) => [...canary(a), ...repliesAndProbes(input, a)]),
    },
    {
      hook: "postrouting",
      stage: "nat",
      entry: everything(families),
      rules: perFamily((a) => masqueradeOwn(input, a)),
    },
  ];
  const fallback: Chain[] = [
    {
      hook: "prerouting",
      stage: "nat",
      entry: {
        place: "last",
        matches: perFamily(({ family, linkLocal }) =>
          protocolsTcpFirst.map((p) => ({ family, match: query(linkLocal, p) })),
        ),
      },
      rules: perFamily((a) => [...(input.cache ? returnToSocket(a) : []), ...toService(input, a)]),
    },
    {
      hook: "output",
      stage: "nat",
      entry: { place: "last", matches: perFamily((a) => queriesOfHostPastCache(a)) },
      rules: perFamily((a) => toService(input, a)),
    },
  ];
  return [...(input.cache ? local : []), ...always, ...(input.interception === "link-local" ? fallback : [])];
}

const protocols: readonly Protocol[] = ["udp", "tcp"];
const protocolsTcpFirst: readonly Protocol[] = ["tcp", "udp"];

function queries(input: RuleInput, addresses: FamilyAddresses): EntryMatch[] {
  return listenAddresses(input, addresses).flatMap((address) =>
    protocols.map((protocol) => ({ family: addresses.family, match: query(address, protocol) })),
  );
}

function switchToCache(input: RuleInput, addresses: FamilyAddresses): Rule[] {
  return queries(input, addresses).map(({ family, match }) => ({
    family,
    match: { ...match, socket: "own", switch: "pods" },
    verdicts: [{ kind: "notrack" }],
  }));
}

function acceptQueries(input: RuleInput, addresses: FamilyAddresses): Rule[] {
  return queries(input, addresses).map(({ family, match }) => ({ family, match, verdicts: [{ kind: "accept" }] }));
}

function acceptReplies(input: RuleInput, addresses: FamilyAddresses): Rule[] {
  return replies(input, addresses).map(({ family, match }) => ({ family, match, verdicts: [{ kind: "accept" }] }));
}

function countReplies(input: RuleInput, addresses: FamilyAddresses): Rule[] {
  return replies(input, addresses).map(({ family, match }) => ({
    family,
    match: { ...match, link: "not-lo", untracked: true },
    verdicts: [],
  }));
}

/** Nobody sends this but the watchdog, to see by the kernel's refusal that the table is there. */
function canary({ family, probe }: FamilyAddresses): Rule[] {
  return [{ family, match: { source: probe, ...query(probe, "udp") }, verdicts: [{ kind: "drop" }] }];
}

function repliesAndProbes(input: RuleInput, addresses: FamilyAddresses): Rule[] {
  if (!input.cache) return [];
  const probes = queries(input, addresses).map(({ family, match }) => ({
    family,
    match: { source: addresses.probe, ...match },
  }));
  return [...replies(input, addresses), ...probes].map(({ family, match }) => ({
    family,
    match,
    verdicts: [{ kind: "notrack" }],
  }));
}

function replies(input: RuleInput, addresses: FamilyAddresses): EntryMatch[] {
  return listenAddresses(input, addresses).flatMap((source) =>
    protocols.map((protocol) => ({ family: addresses.family, match: { source, protocol, sourcePort: 53 } })),
  );
}

function returnToSocket({ family }: FamilyAddresses): Rule[] {
  return [{ family, match: { socket: "own", switch: "pods" }, verdicts: [{ kind: "return" }] }];
}

function toService(
  { kubeProxyMode, clusterDNSService }: RuleInput,
  { family, linkLocal, serviceIP }: FamilyAddresses,
): Rule[] {
  if (kubeProxyMode === "ipvs") {
    return protocolsTcpFirst.map((protocol) => ({
      family,
      match: query(linkLocal, protocol),
      verdicts: [{ kind: "dnat", address: serviceIP }],
    }));
  }
  const { namespace, name, udpPort, tcpPort } = clusterDNSService;
  const chainOf = (protocol: Protocol) =>
    kubeSvcChain({ namespace, name, port: protocol === "udp" ? udpPort : tcpPort, protocol });
  return [
    { family, match: { destination: linkLocal }, verdicts: [{ kind: "jump", chain: "KUBE-MARK-MASQ" }] },
    ...protocolsTcpFirst.map((protocol): Rule => ({
      family,
      match: { destination: linkLocal, protocol },
      verdicts: [{ kind: "jump", chain: chainOf(protocol) }],
    })),
  ];
}

// Hook OUTPUT has no socket match: the host's own queries go past the cache only once the watchdog has turned the switch.
function queriesOfHostPastCache({ family, linkLocal }: FamilyAddresses): EntryMatch[] {
  return protocolsTcpFirst.map((protocol) => ({
    family,
    match: { ...query(linkLocal, protocol), switch: "pods-off" },
  }));
}

// A host process gets the address that it asks as its source; without clusterCIDR kube-proxy would let that out to another node.
function masqueradeOwn(input: RuleInput, addresses: FamilyAddresses): Rule[] {
  const sources = input.cache ? listenAddresses(input, addresses) : [addresses.linkLocal];
  return sources.map((source) => ({
    family: addresses.family,
    match: { source, link: "not-lo" },
    verdicts: [{ kind: "masquerade" }],
  }));
}

function listenAddresses({ interception }: RuleInput, { linkLocal, serviceIP }: FamilyAddresses): string[] {
  return interception === "service-ip" ? [linkLocal, serviceIP] : [linkLocal];
}

function everything(families: readonly FamilyAddresses[]): Chain["entry"] {
  return { place: "first", matches: families.map(({ family }) => ({ family, match: {} })) };
}

function query(destination: string, protocol: Protocol): Match {
  return { destination, protocol, destinationPort: 53 };
}
