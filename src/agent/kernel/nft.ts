import { listenersOn, type Listener, type Switches } from "../../model/packet-rules/listener";
import { counters, setName, tableName, watchedSet } from "../../model/packet-rules/nft/names";
import { renderNft, renderNftRemoval, type TablePart } from "../../model/packet-rules/nft/render";
import { familiesOf, renderNftSwitches } from "../../model/packet-rules/nft/switches";
import type { Chain } from "../../model/packet-rules/nft/types";
import type { NftRuleSet } from "../../model/packet-rules/rule-set";
import { familyOf, type Family } from "../../model/syntax/addresses";
import type { PacketFilterDriver } from "./driver";
import { errorMessage } from "../errors";
import { CommandError, run } from "./run";

export function nftFilter({ chains, listeners }: NftRuleSet, hostTimeoutMs: number): PacketFilterDriver {
  /** The rules as listed after our last write. */
  let written: string | undefined;
  const compared = [
    ...chains.map(({ hook, stage }) => `chain inet ${tableName} ${hook}-${stage}`),
    ...setsOf(["IPv4", "IPv6"], ["pods", "host"]),
  ];
  const clientSets = setsOf(new Set(listeners.map(({ address }) => familyOf(address))), ["asked", "answered"]);
  const ruleCount = chains.flatMap(({ rules }) => rules).length;
  /** What has been read, and so set to zero. */
  const packets = new Map<string, number>();
  return {
    async switches() {
      const table = await listTable();
      return table && switchesInEffect(table);
    },

    async switchesIfIntact() {
      const listed = await listParts(compared);
      return rulesOf(listed) === written ? readSwitches(listed) : undefined;
    },

    async install(switches) {
      await replaceTable(chains, switches, hostTimeoutMs);
      const listed = await listParts(compared);
      // Else what somebody removed meanwhile would never seem to be missing.
      if (countOf(listed, "chain", "set") !== compared.length || countOf(listed, "rule") !== ruleCount)
        throw new Error("nft -i does not list all of our rules, which were just written");
      written = rulesOf(listed);
    },

    async turnSwitches(from, to) {
      const text = renderNftSwitches(from, to);
      if (text !== "") await write(text);
    },

    async counts() {
      const read = countersIn(objects(await run("nft", ["-j", `reset counters table inet ${tableName}`])));
      const add = (counter: string) => {
        packets.set(counter, (packets.get(counter) ?? 0) + read(counter));
        return packets.get(counter) ?? 0;
      };
      // Who sends junk gets replies to what is no query: they would make up for those that somebody lacks.
      const isEven = listeners.every((l) => read(counters.replies(l)) === read(counters.requests(l)));
      const clients = isEven ? [] : await listParts(clientSets);
      return listeners.map((listener) => {
        const answered = clientsIn(clients, "answered", listener);
        const asked = clientsIn(clients, "asked", listener);
        return {
          requests: add(counters.requests(listener)),
          replies: add(counters.replies(listener)),
          pastSilent: add(counters.silent(listener)),
          limited: add(counters.limited(listener)),
          asked: asked.length,
          answered: asked.filter((client) => answered.includes(client)).length,
        };
      });
    },
  };
}

/** The chains of all tables, as text: as JSON, kube-proxy's for 10,000 Services would take tens of megabytes. */
export async function listNftChains(): Promise<string> {
  return run("nft", ["list", "chains"]).catch(async (error: unknown) => {
    const missing = await missingModules();
    throw missing.includes("nf_tables")
      ? new Error(`${errorMessage(error)}; ${lacks(missing)}`, { cause: error })
      : error;
  });
}

/** @returns Whether there was a table. */
export async function removeNftTable(): Promise<boolean> {
  const exists = (await listTable()) !== undefined;
  if (exists) await run("nft", ["-f", "-"], renderNftRemoval());
  return exists;
}

/** Reduces the table, if it exists, to these chains. @returns Whether it had others. */
export async function reduceNftTable(chains: readonly Chain[]): Promise<boolean> {
  const before = await listTable();
  if (before === undefined) return false;
  await replaceTable(chains, { pods: [], host: [] }, 1000);
  return rulesOf(before) !== rulesOf((await listTable()) ?? []);
}

/** Number of packets to these addresses that the table has counted; 0 without a table. */
export async function countLinkLocalQueries(linkLocalIPs: readonly string[]): Promise<number> {
  if ((await listTable()) === undefined) return 0;
  // Never `list counters`, even for one table: nft first reads every rule of every table, which takes seconds with
  // kube-proxy's rules for 10,000 Services.
  const packets = countersIn(objects(await run("nft", ["-j", "list", "table", "inet", tableName])));
  return linkLocalIPs
    .flatMap(listenersOn)
    .reduce((sum, listener) => sum + packets(counters.requests(listener)) + packets(counters.past(listener)), 0);
}

interface NftObject {
  readonly counter?: { readonly name: string; readonly packets: number };
  readonly set?: { readonly name: string; readonly elem?: readonly unknown[] };
  readonly chain?: { readonly name: string };
  readonly rule?: object;
}

async function replaceTable(chains: readonly Chain[], switches: Switches, hostTimeoutMs: number): Promise<void> {
  const replace = async () => write(renderNft(chains, switches, hostTimeoutMs, partsOf((await listTable()) ?? [])));
  // Another of our programs may write after we listed the table: then the kernel refuses our write, and we list and
  // write again.
  await replace().catch(replace);
}

function partsOf(table: readonly NftObject[]): TablePart[] {
  return table.flatMap((object) =>
    (["chain", "set", "counter"] as const).flatMap((kind) => {
      const name = object[kind]?.name;
      return name === undefined ? [] : [{ kind, name }];
    }),
  );
}

async function write(text: string): Promise<void> {
  try {
    await run("nft", ["-f", "-"], text);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const missing = await missingModules();
    const why =
      missing.length > 0
        ? `the kernel refused our table: ${error.message}; ${lacks(missing)}`
        : `our table was refused: ${error.message}; the kernel has every module that our rules need, so report it with this message; until then, set packetFilter to iptables`;
    throw new Error(`nftables: ${why}`, { cause: error });
  }
}

function lacks(missing: readonly string[]): string {
  const since = missing.includes("nft_socket") ? " (in Linux since 5.10)" : "";
  const otherwise = missing.includes("nf_tables")
    ? "packetFilter: iptables needs it, too"
    : "on a kernel without it, set packetFilter to iptables";
  return `the kernel lacks ${missing.join(", ")}${since}, or could not load it: try modprobe on the node; ${otherwise}`;
}

/** One rule for each kernel module that our table needs. */
const needs = {
  nft_ct: "type filter hook output priority -300; ct state untracked notrack",
  nft_socket: "type filter hook prerouting priority -300; socket wildcard 0",
  nft_fib_inet: "type filter hook prerouting priority -300; fib daddr type local",
  nft_reject_inet: "type filter hook output priority 0; reject",
  nft_chain_nat: "type nat hook postrouting priority 100;",
  nft_masq: "type nat hook postrouting priority 100; masquerade",
} as const;

// With -c the kernel checks a transaction without applying it.
async function missingModules(): Promise<string[]> {
  const refused = await Promise.all(
    Object.entries({ nf_tables: "", ...needs }).map(async ([module, rule]) => {
      const chain = rule === "" ? "" : `chain c { ${rule.replace(";", ";\n")}\n}`;
      const accepted = await run("nft", ["-c", "-f", "-"], `table inet ${tableName}-check {\n${chain}\n}\n`).then(
        () => true,
        () => false,
      );
      return accepted ? [] : [module];
    }),
  );
  const missing = refused.flat();
  // Without the first, none of the others can exist.
  return missing.includes("nf_tables") ? ["nf_tables"] : missing;
}

async function listTable(): Promise<readonly NftObject[] | undefined> {
  try {
    return objects(await run("nft", ["-j", "-s", "list", "table", "inet", tableName]));
  } catch (error) {
    if (error instanceof CommandError && error.stderr.includes("No such file or directory")) return undefined;
    throw error;
  }
}

function setsOf(
  families: Iterable<Family | undefined>,
  names: readonly Parameters<typeof setName>[0][],
): readonly string[] {
  return [...families].flatMap((family) => names.map((name) => `set inet ${tableName} ${setName(name, family)}`));
}

/** Each by its name: to list a table, nft reads the chains of all tables. Only an interactive nft lists several. */
async function listParts(parts: readonly string[]): Promise<NftObject[]> {
  const lines = parts.map((part) => `list ${part}\n`).join("");
  // It would write a history into a home.
  return objects(await run("nft", ["-j", "-s", "-i"], lines, { HOME: "/nonexistent" }));
}

function countOf(listed: readonly NftObject[], ...kinds: readonly (keyof NftObject)[]): number {
  return listed.filter((object) => kinds.some((kind) => kind in object)).length;
}

function countersIn(table: readonly NftObject[]): (name: string) => number {
  const packets = new Map(table.flatMap(({ counter }) => (counter ? [[counter.name, counter.packets]] : [])));
  return (name) => packets.get(name) ?? 0;
}

function clientsIn(table: readonly NftObject[], list: "asked" | "answered", { address, protocol }: Listener): string[] {
  return elementsOf(table, list).flatMap(([own, by, client]) =>
    own === address && by === protocol && client !== undefined ? [client] : [],
  );
}

function objects(text: string): NftObject[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => (JSON.parse(line) as { nftables: NftObject[] }).nftables);
}

// Only what stays the same while the rules work: no counts, no elements, no handles.
function rulesOf(table: readonly NftObject[]): string {
  const rules = table.filter(({ chain, rule, set }) => chain ?? rule ?? set);
  return JSON.stringify(rules, (key, value: unknown) =>
    key === "handle" || key === "elem" || key === "packets" || key === "bytes" ? undefined : value,
  );
}

function readSwitches(table: readonly NftObject[]): Switches {
  const listenersIn = (name: keyof Switches) =>
    elementsOf(table, name).flatMap(([address, protocol]): Listener[] =>
      address !== undefined && (protocol === "udp" || protocol === "tcp") ? [{ address, protocol }] : [],
    );
  return { pods: listenersIn("pods"), host: listenersIn("host") };
}

// Whoever writes the rules again must not renew what ended with its watchdog.
function switchesInEffect(table: readonly NftObject[]): Switches {
  const { pods, host } = readSwitches(table);
  const elements = table.flatMap(({ set }) => (set?.name === watchedSet ? (set.elem ?? []) : []));
  // What ends this very moment is listed without a time, as a string.
  const watched = elements.map((element) => (element as { elem?: { val: string } }).elem?.val);
  return { pods, host: host.filter((listener) => familiesOf([listener]).every((family) => watched.includes(family))) };
}

/** The elements of a set for both families, each split into its parts. */
function elementsOf(table: readonly NftObject[], name: Parameters<typeof setName>[0]): (readonly string[])[] {
  return table
    .filter(({ set }) => set?.name === setName(name, "IPv4") || set?.name === setName(name, "IPv6"))
    .flatMap(({ set }) => set?.elem ?? [])
    .flatMap((element) => {
      // `{concat: [...]}`, or with a timeout `{elem: {val: {concat: [...]}, expires: 9}}`.
      const { concat, elem } = element as { concat?: string[]; elem?: { val?: { concat?: string[] } } };
      return [concat ?? elem?.val?.concat ?? []];
    });
}
