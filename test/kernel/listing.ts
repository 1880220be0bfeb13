import type { Namespace } from "../../rig/kernel/namespace";

/** Our table, without what changes by itself. */
export function listing(node: Namespace): string {
  return node.run("nft", ["-s", "list", "table", "inet", "node-local-dns"]).replaceAll(/ expires \w+/g, "");
}

/** `TABLE LINE` for each rule and each of our chains. */
export function rulesOf(node: Namespace, tool: string): string[] {
  const tables = node.run(`${tool}-save`, []).split(/^\*/m).slice(1);
  return tables.flatMap((text) => {
    const [table, ...lines] = text.split("\n");
    return lines
      .filter((line) => line.startsWith("-A ") || line.startsWith(":NODE-LOCAL-DNS"))
      .map((line) => `${table} ${line.replace(/ \[\d+:\d+\]$/, "")}`);
  });
}
