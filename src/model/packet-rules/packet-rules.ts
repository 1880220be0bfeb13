import { familyOf, type Family } from "../syntax/addresses";
import { iptablesRules } from "./iptables-rules";
import { nftRules } from "./nft-rules";
import { probeAddress } from "./probe-address";
import type { Listener, PacketFilter, RuleSet } from "./rule";

/** What decides the rules of a node. */
export interface RuleInput {
  readonly interception: "service-ip" | "link-local";
  readonly kubeProxyMode: "iptables" | "nftables" | "ipvs";
  readonly packetFilter: PacketFilter;
  /** Addresses of the DNS Service, at most one of each family. */
  readonly serviceIPs: readonly string[];
  /** The cache's addresses on the link, one for each family of the Service. */
  readonly linkLocalIPs: readonly string[];
  /** A bit of packet and connection mark that nobody else on the node uses. */
  readonly markBit: number;
  readonly linkName: string;
  /** iptables, link-local: kube-proxy's chains are named after it. */
  readonly clusterDNSService: {
    readonly namespace: string;
    readonly name: string;
    readonly udpPort: string;
    readonly tcpPort: string;
  };
  /** False: draining, no cache anywhere; rules only translate for pods that still hold the link-local address. */
  readonly cache: boolean;
}

/** The pair of addresses of one family, and all that hangs on it. */
export interface FamilyAddresses {
  readonly family: Family;
  readonly linkLocal: string;
  readonly serviceIP: string;
  readonly probe: string;
}

/** Link and rules of a node: the whole set, from the mode alone. */
export function packetRules(input: RuleInput): RuleSet {
  const families = familyAddresses(input);
  const listeners = input.cache ? families.flatMap((addresses) => listenersOf(input, addresses)) : [];
  return {
    packetFilter: input.packetFilter,
    link: { name: input.linkName, addresses: linkAddresses(input, families) },
    listeners,
    chains: input.packetFilter === "nftables" ? nftRules(input, families) : iptablesRules(input, families),
  };
}

/** @throws Error when an address has no partner of its family: `checkAgentConfig` refuses that before. */
function familyAddresses({ linkLocalIPs, serviceIPs }: RuleInput): FamilyAddresses[] {
  return linkLocalIPs.map((linkLocal) => {
    const family = familyOf(linkLocal);
    const serviceIP = serviceIPs.find((address) => familyOf(address) === family);
    if (!family || !serviceIP)
      throw new Error(`packet rules: ${linkLocal} has no service IP of its family among ${serviceIPs.join(", ")}`);
    return { family, linkLocal, serviceIP, probe: probeAddress(linkLocal) };
  });
}

function listenersOf({ interception }: RuleInput, { linkLocal, serviceIP }: FamilyAddresses): Listener[] {
  const addresses = interception === "service-ip" ? [linkLocal, serviceIP] : [linkLocal];
  return addresses.flatMap((address) => [
    { address, protocol: "udp" },
    { address, protocol: "tcp" },
  ]);
}

// Without a cache the service IP would only give the host's queries an odd source.
function linkAddresses({ interception, cache }: RuleInput, families: readonly FamilyAddresses[]): string[] {
  return families.flatMap(({ linkLocal, serviceIP, probe }) =>
    interception === "service-ip" && cache ? [linkLocal, probe, serviceIP] : [linkLocal, probe],
  );
}
