import { readFileSync } from "node:fs";
import type { PacketFilter } from "../../model/packet-rules/rule";
import { run } from "./run";

/**
 * Why queries would be dropped before they reach the cache, or undefined. A chain that drops by policy cannot be overruled from another
 * table: only rules for iptables can accept what iptables' own INPUT chain would drop.
 */
export async function inputPolicyThatDrops(packetFilter: PacketFilter): Promise<string | undefined> {
  const chains = await nftChainsThatDrop();
  const foreign = chains.filter(({ table, name }) => !(table === "filter" && name === "INPUT"));
  if (foreign.length > 0) {
    const { family, table, name } = foreign[0] ?? {};
    return `chain ${name} of nftables table ${family} ${table} drops by policy what comes to the node, and no rule of ours can overrule it; accept port 53 there and set its policy to accept`;
  }
  if (packetFilter === "iptables") return undefined;
  if (chains.length > 0 || (await legacyInputDrops())) {
    return "iptables' INPUT chain drops by policy what comes to the node, which nftables rules cannot overrule; set packetFilter iptables, or the policy to ACCEPT";
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

// Where NET_RAW is missing this cannot be seen; the count of requests without replies then shows it.
async function legacyInputDrops(): Promise<boolean> {
  const saved = await Promise.all(
    [
      ["/proc/net/ip_tables_names", "iptables-legacy-save"],
      ["/proc/net/ip6_tables_names", "ip6tables-legacy-save"],
    ].map(async ([names = "", command = ""]) =>
      legacyTables(names).includes("filter") ? run(command, ["-t", "filter"]).catch(() => "") : "",
    ),
  );
  return saved.some((text) => /^:INPUT DROP/m.test(text));
}

function legacyTables(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    return [];
  }
}
