import { listenersOn, type Listener, type Protocol, type Switches } from "../../model/packet-rules/listener";
import { counters, setName, tableName } from "../../model/packet-rules/nft/names";
import { renderNft, renderNftRemoval, type TablePart } from "../../model/packet-rules/nft/render";
import { renderNftHostRenewal, renderNftSwitches } from "../../model/packet-rules/nft/switches";
import type { Chain } from "../../model/packet-rules/nft/types";
import type { NftRuleSet } from "../../model/packet-rules/rule-set";
import type { PacketFilterDriver } from "./driver";
import { CommandError, run } from "./run";

/** Our nftables table. */
export function nftFilter({ chains, listeners }: NftRuleSet, hostTimeoutMs: number): PacketFilterDriver {
  /** The rules as listed after we last wrote them. */
  let written: string | undefined;
  return {
    async switches() {
      const table = await listTable();
      return table && readSwitches(table);
    },

    async switchesIfIntact() {
      const table = await listTable();
      return table && rulesOf(table) === written ? readSwitches(table) : undefined;
    },

    async install(switches) {
      await replaceTable(chains, switches, hostTimeoutMs);
      written = rulesOf((await listTable()) ?? []);
    },

    async turnSwitches(from, to) {
      const text = renderNftSwitches(from, to);
      if (text !== "") await write(text);
    },

    async renewHostAndCount(host) {
      const packets = await readCounters(renderNftHostRenewal(host));
      return listeners.map((listener) => ({
        requests: packets(counters.requests(listener)),
        replies: packets(counters.replies(listener)),
      }));
    },
  };
}

/** @returns Whether there was a table. */
export async function removeNftTable(): Promise<boolean> {
  const exists = (await listTable()) !== undefined;
  if (exists) await run("nft", ["-f", "-"], renderNftRemoval());
  return exists;
}

/**
 * Leaves only these chains of the table, if there is one.
 * @returns Whether it had others.
 */
export async function reduceNftTable(chains: readonly Chain[]): Promise<boolean> {
  const before = await listTable();
  if (before === undefined) return false;
  await replaceTable(chains, { pods: [], host: [] }, 1000);
  return rulesOf(before) !== rulesOf((await listTable()) ?? []);
}

/** Packets to these addresses that the table has counted; 0 without a table. */
export async function countLinkLocalQueries(linkLocalIPs: readonly string[]): Promise<number> {
  if ((await listTable()) === undefined) return 0;
  const packets = await readCounters();
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
  const replace = async () =>
    write(renderNft(chains, switches, hostTimeoutMs / 1000, partsOf((await listTable()) ?? [])));
  // Another of our programs may write between our look at the table and our write: then the kernel refuses, and we look again.
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
    throw new Error(
      `nftables: the kernel refused our table: ${error.message}; it needs nf_tables with nft_socket (Linux 5.10); on a kernel without it, set packetFilter iptables`,
      { cause: error },
    );
  }
}

async function listTable(): Promise<readonly NftObject[] | undefined> {
  try {
    return objects(await run("nft", ["-j", "-s", "list", "table", "inet", tableName]));
  } catch (error) {
    if (error instanceof CommandError && error.stderr.includes("No such file or directory")) return undefined;
    throw error;
  }
}

/**
 * The packets of each counter, by name.
 * @param statements What to do first, in the same transaction.
 */
async function readCounters(statements = ""): Promise<(name: string) => number> {
  // As an argument: with -j, nft opens /dev/stdin, and cannot where that is a socket.
  const text = await run("nft", ["-j", `${statements}list counters table inet ${tableName}`]);
  const packets = new Map(objects(text).flatMap(({ counter }) => (counter ? [[counter.name, counter.packets]] : [])));
  return (name) => packets.get(name) ?? 0;
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
  const elements = (name: keyof Switches) =>
    table
      .filter(({ set }) => set?.name === setName(name, "IPv4") || set?.name === setName(name, "IPv6"))
      .flatMap(({ set }) => set?.elem ?? [])
      .flatMap(readElement);
  return { pods: elements("pods"), host: elements("host") };
}

// `{concat: [...]}`, or with a timeout `{elem: {val: {concat: [...]}, expires: 9}}`.
function readElement(element: unknown): Listener[] {
  const { concat, elem } = element as { concat?: [string, Protocol]; elem?: { val?: { concat?: [string, Protocol] } } };
  const pair = concat ?? elem?.val?.concat;
  return pair ? [{ address: pair[0], protocol: pair[1] }] : [];
}
