import { parseSaved } from "./saved";

/**
 * Input of `iptables-restore --noflush` that removes the rules that upstream's node-cache installed: their NOTRACK has
 * no socket match, so a dead cache would keep getting queries. Empty if it left none.
 * @param addresses What node-cache had as `-localip`.
 */
export function renderNodeCacheRemoval(saved: string, addresses: readonly string[]): string {
  return parseSaved(saved)
    .map(({ name, rules }) => {
      const own = rules.filter(({ line }) => isNodeCacheRule(name, line, addresses));
      const lines = own.map(({ line }) => `-D${line.slice("-A".length)}\n`);
      return lines.length > 0 ? [`*${name}\n`, ...lines, "COMMIT\n"].join("") : "";
    })
    .join("");
}

// kubernetes/dns cmd/node-cache/app/cache_app.go; it adds the comment since 1.22.
function isNodeCacheRule(table: string, rule: string, addresses: readonly string[]): boolean {
  const match =
    /^-A (?:PREROUTING|OUTPUT|INPUT) -[sd] (\S+)\/(?:32|128) -p (?:udp|tcp) -m (?:udp|tcp) --[sd]port \d+ (?:-m comment --comment "NodeLocal DNS Cache: [^"]*" )?-j (.+)$/.exec(
      rule,
    );
  const [, address = "", target = ""] = match ?? [];
  const targets = table === "raw" ? ["NOTRACK", "CT --notrack"] : table === "filter" ? ["ACCEPT"] : [];
  return addresses.includes(address) && targets.includes(target);
}
