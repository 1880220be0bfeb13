import { setTimeout as sleep } from "node:timers/promises";
import type { Link } from "../../model/packet-rules/rule-set";
import { familyOf, hostCIDR } from "../../model/syntax/addresses";
import { CommandError, run } from "./run";

/** What was missing and is now there. */
export interface LinkRepairs {
  readonly link: boolean;
  readonly addresses: readonly string[];
}

/**
 * Creates the link and its addresses where they are missing. Other addresses stay, because they may belong to a node-cache that still
 * runs; only those in `unwanted`, which another mode of ours had, are removed.
 */
export async function ensureLink(link: Link, unwanted: readonly string[] = []): Promise<LinkRepairs> {
  const state = await showLink(link.name);
  if (state === undefined) await createLink(link.name);
  const present = state?.addresses ?? [];
  const missing = link.addresses.filter((address) => !present.includes(address));
  const surplus = unwanted.filter((address) => present.includes(address) && !link.addresses.includes(address));
  const commands = [
    ...(state?.up ? [] : [`link set dev ${link.name} up`]),
    // nodad: no other host is on this link, and until duplicate address detection ends, nothing can bind to the address.
    ...missing.map(
      (address) => `address add ${hostCIDR(address)} dev ${link.name}${familyOf(address) === "IPv6" ? " nodad" : ""}`,
    ),
  ];
  await batch(commands);
  if (surplus.length > 0) {
    await sleep(answersUnderWay);
    await batch(surplus.map((address) => `address del ${hostCIDR(address)} dev ${link.name}`));
  }
  return { link: state === undefined || !state.up, addresses: missing };
}

/** Milliseconds for the cache of the previous mode to answer the queries it took: it cannot once its address is gone. */
const answersUnderWay = 1000;

async function batch(commands: readonly string[]): Promise<void> {
  if (commands.length > 0) await run("ip", ["-batch", "-"], `${commands.join("\n")}\n`);
}

/** @returns Whether it existed. */
export async function deleteLink(name: string): Promise<boolean> {
  if ((await showLink(name)) === undefined) return false;
  await run("ip", ["link", "delete", "dev", name]);
  return true;
}

/** Whether the link is up, and its addresses; undefined if it does not exist. */
export async function showLink(
  name: string,
): Promise<{ readonly up: boolean; readonly addresses: readonly string[] } | undefined> {
  let text: string;
  try {
    text = await run("ip", ["-json", "address", "show", "dev", name]);
  } catch (error) {
    if (error instanceof CommandError && error.stderr.includes("does not exist")) return undefined;
    throw error;
  }
  const [entry] = JSON.parse(text) as { flags?: string[]; addr_info?: { local?: string; scope?: string }[] }[];
  const addresses = (entry?.addr_info ?? []).flatMap(({ local }) => (local === undefined ? [] : [local]));
  return { up: entry?.flags?.includes("UP") ?? false, addresses };
}

// Where the kernel was built without dummy links, a bridge without ports does the same.
async function createLink(name: string): Promise<void> {
  try {
    await run("ip", ["link", "add", "dev", name, "type", "dummy"]);
  } catch (error) {
    if (!(error instanceof CommandError) || !/unknown device type|not supported/i.test(error.stderr)) throw error;
    await run("ip", ["link", "add", "dev", name, "type", "bridge"]);
  }
}
