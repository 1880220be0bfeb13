import { readFileSync } from "node:fs";
import { hintChains, hintedBackend, iptablesBackend, type Backend } from "../../model/packet-rules/iptables/backend";
import { chainName, ownPlaces, type Table } from "../../model/packet-rules/iptables/names";
import type { ListedRule } from "../../model/packet-rules/iptables/render";
import { jumpsAsSaved } from "../../model/packet-rules/iptables/saved";
import { hasChain } from "../../model/packet-rules/nft/listed-chains";
import { headerOf } from "../../model/packet-rules/nft/render";
import type { Family } from "../../model/syntax/addresses";
import { CommandError, run } from "./run";
import { orElse } from "../../model/syntax/or-else";

export interface Tool {
  readonly family: Family;
  readonly backend: Backend;
}

export function command({ family, backend }: Tool): string {
  return `${family === "IPv4" ? "iptables" : "ip6tables"}-${backend}`;
}

export function save(tool: Tool, args: readonly string[] = []): Promise<string> {
  return runTool(tool, "save", args);
}

/** Our chains, and those that lead to them. To save everything takes half a minute with 10,000 Services. */
export async function saveOwn(
  tool: Tool,
  wanted: readonly Table[],
  { counters = false, others = [], nftChains }: SaveOptions = {},
): Promise<string> {
  const present =
    tool.backend === "legacy" ? wanted.filter((table) => legacyTables(tool.family).includes(table)) : wanted;
  const parts = present.map((table) =>
    tool.backend === "legacy"
      ? // It always reads whole tables, and only this command needs no lock.
        save(tool, ["-t", table, ...(counters ? ["-c"] : [])])
      : listChains(tool, table, { counters, others, nftChains }),
  );
  return (await Promise.all(parts)).join("");
}

interface SaveOptions {
  readonly counters?: boolean;
  /** Foreign chains to include, to see whether they exist. */
  readonly others?: readonly string[];
  /** What `listNftChains` read, to leave out those that do not exist. */
  readonly nftChains?: string | undefined;
}

async function listChains(
  tool: Tool,
  table: Table,
  { counters, others = [], nftChains }: SaveOptions,
): Promise<string> {
  const { builtIn, own } = ownPlaces[table];
  const family = headerOf(tool.family);
  const chains = [...builtIn, ...own.map((end) => `${chainName}${end}`), ...others].filter(
    (name) => nftChains === undefined || hasChain(nftChains, { family, table, name }),
  );
  const listed = await Promise.all(
    chains.map(async (chain) => {
      try {
        return { chain, rules: await run(command(tool), ["-t", table, counters ? "-vS" : "-S", chain]) };
      } catch (error) {
        // Printed for a chain that does not exist, is of another kind, or has a rule that only nft can list.
        if (!(error instanceof CommandError && /incompatible|No chain|Parsing nftables rule failed/.test(error.stderr)))
          throw error;
        if (!builtIn.some((name) => name === chain)) return undefined;
        return { chain, rules: jumpsAsSaved(await run("nft", ["-a", "list", "chain", family, table, chain]), chain) };
      }
    }),
  );
  const found = listed.filter((one) => one !== undefined);
  const lines = found.flatMap(({ rules }) => rules.split("\n").filter((line) => line.startsWith("-A ")));
  return [
    `*${table}`,
    ...found.map(({ chain }) => `:${chain} - [0:0]`),
    ...lines.map((line) => line.replace(/^(-A .*) -c (\d+) (\d+)( -j .*)?$/, "[$2:$3] $1$4")),
    "COMMIT\n",
  ].join("\n");
}

export async function restore(tool: Tool, text: string): Promise<void> {
  // kube-proxy also waits 5 seconds for the lock.
  if (text !== "") await runTool(tool, "restore", ["--noflush", "-w", "5"], text);
}

/** Deletes rules that iptables cannot find, in one transaction. */
export async function deleteRules(tool: Tool, rules: readonly ListedRule[]): Promise<void> {
  const lines = rules.map(
    ({ table, chain, handle }) => `delete rule ${headerOf(tool.family)} ${table} ${chain} handle ${handle}\n`,
  );
  if (lines.length > 0) await run("nft", ["-f", "-"], lines.join(""));
}

/** The backend of the node's other rules: ours have no effect in the other one. Fails unless it can read them all. */
export async function chooseBackend(): Promise<Backend> {
  const saveEach = async (read: (tool: Tool) => Promise<string>) => {
    const saved = { nft: "", legacy: "" };
    for (const tool of toolsInUse()) saved[tool.backend] += await read(tool);
    return saved;
  };
  const hinted = hintedBackend(await saveEach((tool) => saveOwn(tool, ["mangle"], { others: hintChains })));
  return hinted ?? iptablesBackend(await saveEach(save));
}

// With iptables-legacy, merely listing makes the kernel load its tables.
export function toolsInUse(): Tool[] {
  const tools = (["nft", "legacy"] as const).flatMap((backend) =>
    (["IPv4", "IPv6"] as const).map((family) => ({ family, backend })),
  );
  return tools.filter(({ family, backend }) => backend === "nft" || legacyTables(family).length > 0);
}

export function legacyTables(family: Family): string[] {
  const file = `/proc/net/${headerOf(family)}_tables_names`;
  return orElse(() => readFileSync(file, "utf8"), "")
    .split("\n")
    .filter((name) => name !== "");
}

async function runTool(tool: Tool, action: "save" | "restore", args: readonly string[], input = ""): Promise<string> {
  try {
    return await run(`${command(tool)}-${action}`, args, input);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new Error(`${command(tool)}: ${error.message}${hint(error.stderr, input)}`, { cause: error });
  }
}

function hint(stderr: string, input: string): string {
  if (stderr.includes("Permission denied")) {
    return "; iptables-legacy needs the NET_RAW capability in addition to NET_ADMIN";
  }
  // The kernel refused a rule, and the tools seldom name the module that it lacks.
  if (/missing kernel module|RULE_\w+ failed|line \d+ failed/.test(stderr)) {
    const modules = new Set(Array.from(input.matchAll(/ -m (\w+)/g), ([, match]) => `xt_${match}`));
    return `; our rules need the kernel modules ${[...modules].sort().join(", ")} and those of their targets; if the kernel lacks one, set packetFilter to nftables`;
  }
  return "";
}
