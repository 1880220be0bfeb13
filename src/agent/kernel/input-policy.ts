import { mayAcceptQueries } from "../../model/packet-rules/input-policy";
import { inputChainsThatDrop, type NftChain } from "../../model/packet-rules/nft/listed-chains";
import { familyOf, type Family } from "../../model/syntax/addresses";
import type { PacketFilter } from "../../model/props/node-local-dns";
import { legacyTables, save } from "./iptables-tool";
import { run } from "./run";

interface DroppingPolicy {
  readonly why: string;
  /** Its chain may accept queries first; then the counts of replies decide. */
  readonly mayAccept: boolean;
}

/**
 * Why the node would drop queries before they reach the cache; undefined if it would not. No other table can overrule a
 * chain whose policy is drop: only iptables rules can accept what iptables' own INPUT chain would drop.
 * @param addresses Those that are queried; chains of other IP families do not matter.
 * @param nftChains What `listNftChains` read.
 */
export async function inputPolicyThatDrops(
  packetFilter: PacketFilter,
  addresses: readonly string[],
  nftChains: string,
): Promise<DroppingPolicy | undefined> {
  const families = new Set(addresses.map(familyOf));
  const found: DroppingPolicy[] = [];
  for (const chain of inputChainsThatDrop(nftChains)) {
    if (!concerns(chain, families)) continue;
    const ofIptables = chain.table === "filter" && chain.name === "INPUT";
    if (ofIptables && packetFilter === "iptables") continue;
    const mayAccept = mayAcceptQueries(await run("nft", ["list", "table", chain.family, chain.table]), chain.name);
    found.push({ why: ofIptables ? ofInput(mayAccept) : ofForeign(chain, mayAccept), mayAccept });
  }
  if (packetFilter === "nftables") {
    for (const saved of await legacyFilters(families)) {
      if (!/^:INPUT DROP/m.test(saved)) continue;
      const mayAccept = mayAcceptQueries(saved, "INPUT");
      found.push({ why: ofInput(mayAccept), mayAccept });
    }
  }
  return found.find(({ mayAccept }) => !mayAccept) ?? found[0];
}

const rulesMayAccept =
  "rules in it may accept queries; if they do not, the watchdog will count requests without replies";

function ofForeign({ family, table, name }: NftChain, mayAccept: boolean): string {
  const chain = `chain ${name} of nftables table ${family} ${table} drops packets to the node by policy`;
  return mayAccept
    ? `${chain}; ${rulesMayAccept}`
    : `${chain}, and no rule of ours can overrule that; accept port 53 there, or set its policy to accept`;
}

function ofInput(mayAccept: boolean): string {
  const chain = "iptables' INPUT chain drops packets to the node by policy";
  return mayAccept
    ? `${chain}; ${rulesMayAccept}`
    : `${chain}, which nftables rules cannot overrule; accept port 53 there, set packetFilter to iptables, or set the policy to ACCEPT`;
}

// Tables of other families, such as arp and bridge, see no queries.
function concerns({ family }: NftChain, families: ReadonlySet<Family | undefined>): boolean {
  return family === "inet" || (family === "ip" && families.has("IPv4")) || (family === "ip6" && families.has("IPv6"));
}

// Cannot read legacy tables without NET_RAW. The counts will then show requests without replies.
async function legacyFilters(wanted: ReadonlySet<Family | undefined>): Promise<string[]> {
  const families = (["IPv4", "IPv6"] as const).filter(
    (family) => wanted.has(family) && legacyTables(family).includes("filter"),
  );
  return Promise.all(families.map((family) => save({ family, backend: "legacy" }, ["-t", "filter"]).catch(() => "")));
}
