import type { Network } from "../../rig/kernel/network";

/** Rules of both packet filters and the links, without counters. */
export function everything(network: Network): string {
  return [
    network.node.run("nft", ["-s", "list", "ruleset"]),
    ...["iptables-legacy-save", "ip6tables-legacy-save"].map((tool) => tablesInOrder(network.node.run(tool, []))),
    network.node.ip("-brief address").replaceAll(/ +fe80::\S+| [0-9a-f:]{17} /g, ""),
  ]
    .join("\n")
    .replaceAll(/# .*\n|\[\d+:\d+\]| {2,}\n/g, "");
}

// The kernel lists tables in the order of their first use; empty ones come and go.
function tablesInOrder(saved: string): string {
  return saved
    .split(/^(?=\*)/m)
    .filter((table) => /^-A |^:[^ ]* (DROP|-)/m.test(table))
    .sort()
    .join("");
}
