import { tableName } from "../../model/packet-rules/nft/names";
import { renderArpRemoval, renderArpTable } from "../../model/packet-rules/nft/arp";
import { errorMessage } from "../errors";
import { run } from "./run";

/** @returns Stops the node from answering ARP for these addresses. If it cannot, the cache works: `warn` reports it. */
export function createArpSilence(addresses: readonly string[], warn: (message: string) => void): () => Promise<void> {
  let written: string | undefined;
  // The chain alone: to write a table, nft reads the chains of all tables.
  const list = () => run("nft", ["list", "chain", "arp", tableName, "input"]).catch(() => undefined);
  return async () => {
    if (written !== undefined && (await list()) === written) return;
    try {
      await run("nft", ["-f", "-"], renderArpTable(addresses));
      written = await list();
    } catch (error) {
      warn(`neighbours of this node can find the cache's addresses by ARP: ${errorMessage(error)}`);
    }
  };
}

/** @returns Whether there were any rules. */
export async function removeArpRules(): Promise<boolean> {
  // Without nftables in the kernel there are none.
  const tables = await run("nft", ["list", "tables"]).catch(() => "");
  if (!tables.split("\n").includes(`table arp ${tableName}`)) return false;
  await run("nft", ["-f", "-"], renderArpRemoval());
  return true;
}
