/** A chain of nftables; iptables-nft's are there under the same names. */
export interface NftChain {
  readonly family: string;
  readonly table: string;
  readonly name: string;
}

/** @param listed Output of `nft list chains`. */
export function hasChain(listed: string, { family, table, name }: NftChain): boolean {
  const from = listed.indexOf(`table ${family} ${table} {\n`);
  const end = listed.indexOf("\n}\n", from);
  return from >= 0 && listed.slice(from, end).includes(`\tchain ${name} {\n`);
}

/**
 * Chains whose policy drops packets to the node.
 * @param listed Output of `nft list chains`.
 */
export function inputChainsThatDrop(listed: string): NftChain[] {
  const found: NftChain[] = [];
  let [family, table, name] = ["", "", ""];
  const lines = /^table (\S+) (\S+) \{$|^\tchain (\S+) \{$|^\t\ttype .* hook input .*policy drop;$/gm;
  for (const [, ofFamily, ofTable = "", chain] of listed.matchAll(lines)) {
    if (ofFamily !== undefined) [family, table] = [ofFamily, ofTable];
    else if (chain !== undefined) name = chain;
    else found.push({ family, table, name });
  }
  return found;
}
