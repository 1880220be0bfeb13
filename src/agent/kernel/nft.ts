import { renderNft, renderNftHost, renderNftRemoval, renderNftSwitch } from "../../model/packet-rules/nft";
import {
  counters,
  tableName,
  type Listener,
  type Protocol,
  type RuleSet,
  type Switches,
} from "../../model/packet-rules/rule";
import type { PacketFilterDriver } from "./packet-filter";
import { CommandError, run } from "./run";

/** Our table of nftables. */
export function nftFilter(ruleSet: RuleSet, hostTimeout: number): PacketFilterDriver {
  let written: string | undefined;
  return {
    async switches() {
      const table = await listTable();
      return table && readSwitches(table);
    },

    async apply(switches) {
      await write(renderNft(ruleSet, switches, hostTimeout / 1000));
      written = rulesOf(await listTable());
    },

    async turn(from, to) {
      const text = [
        renderNftSwitch(without(from.pods, to.pods), false),
        renderNftSwitch(without(to.pods, from.pods), true),
        renderNftHost(without(from.host, to.host), false),
        renderNftHost(without(to.host, from.host), true),
      ].join("");
      if (text !== "") await write(text);
    },

    async refresh(host) {
      // As an argument: with -j, nft opens /dev/stdin, which it cannot when that is a socket.
      const text = await run("nft", ["-j", `${renderNftHost(host, true)}list counters table inet ${tableName}`]);
      const packets = new Map(
        objects(text).flatMap(({ counter }) => (counter ? [[counter.name, counter.packets] as const] : [])),
      );
      return ruleSet.listeners.map((listener) => ({
        requests: packets.get(counters.requests(listener)) ?? 0,
        replies: packets.get(counters.replies(listener)) ?? 0,
      }));
    },

    async intactSwitches() {
      const table = await listTable();
      return table && rulesOf(table) === written ? readSwitches(table) : undefined;
    },
  };
}

/** @returns Whether there was a table. */
export async function removeNftTable(): Promise<boolean> {
  const present = (await listTable()) !== undefined;
  if (present) await run("nft", ["-f", "-"], renderNftRemoval());
  return present;
}

/** Packets to these addresses that the table has counted; 0 without a table. */
export async function linkLocalQueries(linkLocalIPs: readonly string[]): Promise<number> {
  if ((await listTable()) === undefined) return 0;
  const names = linkLocalIPs.flatMap((address) =>
    (["udp", "tcp"] as const).flatMap((protocol) => [
      counters.requests({ address, protocol }),
      counters.past({ address, protocol }),
    ]),
  );
  const text = await run("nft", ["-j", "list", "counters", "table", "inet", tableName]);
  return objects(text).reduce(
    (sum, { counter }) => sum + (counter && names.includes(counter.name) ? counter.packets : 0),
    0,
  );
}

interface NftObject {
  readonly counter?: { readonly name: string; readonly packets: number };
  readonly set?: { readonly name: string; readonly elem?: readonly unknown[] };
  readonly chain?: object;
  readonly rule?: object;
}

async function write(text: string): Promise<void> {
  try {
    await run("nft", ["-f", "-"], text);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    // nft prints the line and a caret below what the kernel said.
    throw new Error(
      `nftables: the kernel took nothing of our table: ${error.message}; it needs nf_tables with nft_socket (Linux 5.10); set packetFilter iptables where it cannot`,
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

function objects(text: string): NftObject[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => (JSON.parse(line) as { nftables: NftObject[] }).nftables);
}

// What does not change while the rules work: no counts, no elements, no handles.
function rulesOf(table: readonly NftObject[] | undefined): string {
  const rules = (table ?? []).filter(({ chain, rule, set }) => chain ?? rule ?? set);
  return JSON.stringify(rules, (key, value: unknown) =>
    key === "handle" || key === "elem" || key === "packets" || key === "bytes" ? undefined : value,
  );
}

function readSwitches(table: readonly NftObject[]): Switches {
  const elements = (name: string) =>
    table
      .filter(({ set }) => set?.name === `${name}4` || set?.name === `${name}6`)
      .flatMap(({ set }) => set?.elem ?? [])
      .flatMap(readElement);
  return { pods: elements("pods"), host: elements("host") };
}

// `{concat: [...]}`, or with a time `{elem: {val: {concat: [...]}, expires: 9}}`.
function readElement(element: unknown): Listener[] {
  const { concat, elem } = element as { concat?: [string, Protocol]; elem?: { val?: { concat?: [string, Protocol] } } };
  const pair = concat ?? elem?.val?.concat;
  return pair ? [{ address: pair[0], protocol: pair[1] }] : [];
}

function without(these: readonly Listener[], others: readonly Listener[]): Listener[] {
  return these.filter((a) => !others.some((b) => a.address === b.address && a.protocol === b.protocol));
}
