import type { Listener } from "../listener";
import { chainName, clientListName, isOwnChain, limitName, type ClientList } from "./names";
import { isJumpToOwn, parseSaved, type SavedRule } from "./saved";

/** Which of these listeners have their switch on; undefined if none of our chains exist. */
export function readSwitches(saved: string, listeners: readonly Listener[]): Listener[] | undefined {
  const tables = parseSaved(saved);
  if (!tables.some(({ chains }) => chains.some(isOwnChain))) return undefined;
  const rules = tables.filter(({ name }) => name === "raw").flatMap((table) => table.rules);
  return listeners.filter((listener) => rules.some((rule) => isSwitch(rule, listener)));
}

/**
 * Requests that reached a listener, replies that left it, and requests above their pods' limit, from table mangle saved
 * with counters.
 */
export function readCounts(saved: string, listener: Listener) {
  const rules = parseSaved(saved).flatMap((table) => table.rules);
  const noting = (list: ClientList) =>
    sum(rules.filter(({ line }) => `${line} `.includes(` --name ${clientListName(list, listener)} `)));
  const limited = sum(
    rules.filter((rule) => isOf(rule, listener) && rule.line.includes(` --hashlimit-name ${limitName("")}`)),
  );
  return { requests: noting("asked"), replies: noting("answered"), limited };
}

/** The clients in an xt_recent list, and when each was last seen, in kernel ticks. */
export function readClients(list: string): ReadonlyMap<string, string> {
  return new Map(
    [...list.matchAll(/^src=(\S+) .*?last_seen: (\d+)/gm)].map(([, client = "", at = ""]) => [client, at]),
  );
}

/** Packets to these addresses, as counted by our jumps. In table nat only a connection's first packet counts. */
export function readLinkLocalPackets(saved: string, addresses: readonly string[]): number {
  const jumps = parseSaved(saved)
    .flatMap((table) => table.rules)
    .filter(isJumpToOwn);
  return sum(jumps.filter(({ line }) => addresses.some((address) => line.includes(` -d ${address}/`))));
}

function isSwitch(rule: SavedRule, listener: Listener): boolean {
  return rule.chain === chainName && isOf(rule, listener) && rule.line.includes(" -m socket");
}

function isOf({ line }: SavedRule, { address, protocol }: Listener): boolean {
  return line.includes(` -d ${address}/`) && line.includes(` -p ${protocol} `);
}

function sum(rules: readonly SavedRule[]): number {
  return rules.reduce((total, { packets }) => total + packets, 0);
}
