import { familyOf } from "../../syntax/addresses";
import { tableName } from "./names";

/**
 * Keeps the node from answering ARP for its own link's addresses, which nothing else is attached to: by default the
 * kernel answers on every link, so the whole LAN could reach the cache. IPv6 answers only on the link that has the
 * address. Replies must pass: to find a pod, the kernel asks in the name of the address that the cache answers from,
 * and answers that wait for the reply fill the cache's socket until it blocks.
 */
export function renderArpTable(addresses: readonly string[]): string {
  const own = addresses.filter((address) => familyOf(address) === "IPv4");
  const rules = own.length > 0 ? [`\t\tarp operation request arp daddr ip { ${own.join(", ")} } drop\n`] : [];
  return [
    renderArpRemoval(),
    `table arp ${tableName} {\n\tchain input {\n`,
    "\t\ttype filter hook input priority 0; policy accept;\n",
    ...rules,
    "\t}\n}\n",
  ].join("");
}

/** Deleting a missing table fails, so it is declared first. */
export function renderArpRemoval(): string {
  return `table arp ${tableName}\ndelete table arp ${tableName}\n`;
}
