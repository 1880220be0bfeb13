import { proxyMode, type PastCache } from "../../query-path/proxy-modes";
import type { FamilyAddresses } from "../family-addresses";
import { listenersOn, type Listener } from "../listener";
import { query } from "../match";
import type { RuleInput } from "../rule-input";
import { kubeSvcChain } from "./kube-svc-chain";
import { chainName } from "./names";
import type { Chain, Rule } from "./types";

/**
 * With link-local, chains of table nat that send queries for its address to the Service if no socket takes them. The cache's
 * NOTRACK comes first, because NAT would pin a flow from a fixed source port to wherever its first query went.
 * @param all Listeners of both families.
 */
export function chainsPastCache(input: RuleInput, addresses: FamilyAddresses, all: readonly Listener[]): Chain[] {
  const way = input.interception === "link-local" ? proxyMode(input).pastCache.iptables : undefined;
  if (way === undefined) return [];
  const listeners = tcpFirst(addresses.linkLocal);
  const toService = rulesToService(way, input, addresses);
  // It matches any listener, and goes as soon as one is off: packets for the others are untracked and skip this table.
  const returnToSocket: Rule = { match: { socket: true }, target: "RETURN", whileOn: all };
  return [
    {
      table: "nat",
      name: chainName,
      from: "PREROUTING",
      place: "last",
      jumps: listeners.map((listener) => ({ match: query(listener) })),
      rules: [...(input.cache ? [returnToSocket] : []), ...toService],
    },
    // OUTPUT has no socket match: the host's queries come here only once the watchdog has turned the switch off.
    {
      table: "nat",
      name: `${chainName}-HOST`,
      from: "OUTPUT",
      place: "last",
      jumps: listeners.map((listener) => ({ match: query(listener), whileOff: listener })),
      rules: toService,
    },
  ];
}

function rulesToService(
  way: PastCache["iptables"],
  { clusterDNSService }: RuleInput,
  { linkLocal, serviceIP }: FamilyAddresses,
): Rule[] {
  switch (way) {
    case "dnat":
      return tcpFirst(linkLocal).map((listener) => ({ match: query(listener), target: { dnat: serviceIP } }));
    // While a rule jumps to it, kube-proxy cannot delete the Service's chain: as long as the Service has no endpoints,
    // all kube-proxy's syncs on the node fail. Rules for nftables have no such dependency.
    case "kube-proxy-chain": {
      const { namespace, name, udpPort, tcpPort } = clusterDNSService;
      const ports = { udp: udpPort, tcp: tcpPort };
      return [
        { match: { destination: linkLocal }, target: { kubeProxyChain: "KUBE-MARK-MASQ" } },
        ...tcpFirst(linkLocal).map(({ protocol }): Rule => ({
          match: { destination: linkLocal, protocol },
          target: { kubeProxyChain: kubeSvcChain({ namespace, name, port: ports[protocol], protocol }) },
        })),
      ];
    }
  }
}

function tcpFirst(address: string): Listener[] {
  return listenersOn(address).toReversed();
}
