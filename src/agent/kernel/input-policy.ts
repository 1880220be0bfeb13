import { readFileSync } from "node:fs";
import type { PacketFilter } from "../../model/packet-rules/rule";
import { run } from "./run";

/**
 * Why queries would be dropped before they reach the cache; undefined if they would not. Rules in another table cannot overrule a chain
 * whose policy is drop: only iptables rules can accept what iptables' own INPUT chain would drop.
 */
export async function inputPolicyThatDrops(packetFilter: PacketFilter): Promise<string | undefined> {
  const chains = await nftChainsThatDrop();
  const foreign = chains.find(({ table, name }) => table !== "filter" || name !== "INPUT");
  if (foreign) {
    const { family, table, name } = foreign;
    return `chain ${name} of nftables table ${family} ${table} drops packets to the node by policy, and no rule of ours can overrule it; accept port 53 there and set its policy to accept`;
  }
  if (packetFilter === "iptables") return undefined;
  return chains.length > 0 || (await legacyInputDrops())
    ? "iptables' INPUT chain drops packets to the node by policy, which nftables rules cannot overrule; set packetFilter iptables, or the policy to ACCEPT"
    : undefined;
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

// Without NET_RAW we cannot see this; the count of requests without replies shows it then.
async function legacyInputDrops(): Promise<boolean> {
  const saved = await Promise.all(
    ["ip", "ip6"].map(async (prefix) =>
      legacyTables(prefix).includes("filter")
        ? run(`${prefix}tables-legacy-save`, ["-t", "filter"]).catch(() => "")
        : "",
    ),
  );
  return saved.some((text) => /^:INPUT DROP/m.test(text));
}

function legacyTables(prefix: string): string[] {
  try {
    return readFileSync(`/proc/net/${prefix}_tables_names`, "utf8").split("\n");
  } catch {
    return [];
  }
}
