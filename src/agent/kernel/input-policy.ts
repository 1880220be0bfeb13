import type { PacketFilter } from "../../model/props/node-local-dns";
import { legacyTables, save } from "./iptables-tool";
import { run } from "./run";

/**
 * Why the node would drop queries before they reach the cache, or undefined. Another table cannot overrule a chain whose policy is drop:
 * only rules for iptables can accept what iptables' own INPUT chain would drop.
 */
export async function inputPolicyThatDrops(packetFilter: PacketFilter): Promise<string | undefined> {
  const chains = await nftChainsThatDrop();
  const foreign = chains.find(({ table, name }) => !(table === "filter" && name === "INPUT"));
  if (foreign) {
    const { family, table, name } = foreign;
    return `chain ${name} of nftables table ${family} ${table} drops packets to the node by policy, and no rule of ours can overrule that; accept port 53 there and set its policy to accept`;
  }
  if (packetFilter === "iptables") return undefined;
  if (chains.length > 0 || (await legacyInputDrops())) {
    return "iptables' INPUT chain drops packets to the node by policy, which nftables rules cannot overrule; set packetFilter iptables, or the policy to ACCEPT";
  }
  return undefined;
}

interface NftChain {
  readonly family: string;
  readonly table: string;
  readonly name: string;
  readonly hook?: string;
  readonly policy?: string;
}

async function nftChainsThatDrop(): Promise<NftChain[]> {
  const listed = JSON.parse(await run("nft", ["-j", "list", "chains"])) as { nftables: { chain?: NftChain }[] };
  return listed.nftables.flatMap(({ chain }) => (chain?.hook === "input" && chain.policy === "drop" ? [chain] : []));
}

// Without NET_RAW this cannot look. Requests without replies will then show in the counts.
async function legacyInputDrops(): Promise<boolean> {
  const families = (["IPv4", "IPv6"] as const).filter((family) => legacyTables(family).includes("filter"));
  const saved = await Promise.all(
    families.map((family) => save({ family, backend: "legacy" }, ["-t", "filter"]).catch(() => "")),
  );
  return saved.some((text) => /^:INPUT DROP/m.test(text));
}
