/**
 * Input of `iptables-restore --noflush` that takes away the rules which node-cache installed itself: their NOTRACK has no socket match, so a
 * dead cache would keep getting the queries. Empty where there are none.
 * @param addresses What node-cache was told as `-localip`.
 */
export function renderNodeCacheRemoval(saved: string, addresses: readonly string[]): string {
  return saved
    .split(/^\*/m)
    .slice(1)
    .map((text) => {
      const [table = "", ...lines] = text.split("\n");
      const rules = lines
        .map((line) => line.replace(/^\[\d+:\d+\] /, "").trimEnd())
        .filter((line) => isNodeCacheRule(table, line, addresses));
      return rules.length > 0
        ? `*${table}\n${rules.map((rule) => rule.replace(/^-A/, "-D")).join("\n")}\nCOMMIT\n`
        : "";
    })
    .join("");
}

// kubernetes/dns cmd/node-cache/app/cache_app.go; the comment came with 1.22.
function isNodeCacheRule(table: string, rule: string, addresses: readonly string[]): boolean {
  const match =
    /^-A (PREROUTING|OUTPUT|INPUT) -[sd] (\S+)\/(?:32|128) -p (?:udp|tcp) -m (?:udp|tcp) --[sd]port \d+ (?:-m comment --comment "NodeLocal DNS Cache: [^"]*" )?-j (.+)$/.exec(
      rule,
    );
  const [, , address = "", target = ""] = match ?? [];
  const targets = table === "raw" ? ["NOTRACK", "CT --notrack"] : table === "filter" ? ["ACCEPT"] : [];
  return addresses.includes(address) && targets.includes(target);
}
