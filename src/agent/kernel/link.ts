import { setTimeout as sleep } from "node:timers/promises";
import type { Link } from "../../model/packet-rules/rule-set";
import { familyOf } from "../../model/syntax/addresses";
import { CommandError, run } from "./run";

/** What was missing and has been added. */
interface LinkRepairs {
  readonly link: boolean;
  readonly addresses: readonly string[];
}

/** A cache of the previous mode cannot answer from an address that is gone: time for the queries that it has taken. */
const answersUnderWayMs = 1000;

/**
 * Creates the link and its addresses where they are missing. Other addresses on it stay, as they may belong to a node-cache that still
 * runs, except for `unwanted`: those of another mode of ours.
 */
export async function ensureLink(link: Link, unwanted: readonly string[]): Promise<LinkRepairs> {
  const state = await showLink(link.name);
  if (state === undefined) await createLink(link.name);
  const present = state?.addresses ?? [];
  const missing = link.addresses.filter((address) => !present.includes(address));
  const surplus = unwanted.filter((address) => present.includes(address) && !link.addresses.includes(address));
  await batch([
    ...(state?.up ? [] : [`link set dev ${link.name} up`]),
    // nodad: nothing else is on this link, and nothing could bind to the address until duplicate address detection is over.
    ...missing.map(
      (address) => `address add ${host(address)} dev ${link.name}${familyOf(address) === "IPv6" ? " nodad" : ""}`,
    ),
  ]);
  if (surplus.length > 0) {
    await sleep(answersUnderWayMs);
    await batch(surplus.map((address) => `address del ${host(address)} dev ${link.name}`));
  }
  return { link: !state?.up, addresses: missing };
}

/** @returns Whether there was one. */
export async function deleteLink(name: string): Promise<boolean> {
  if ((await showLink(name)) === undefined) return false;
  await run("ip", ["link", "delete", "dev", name]);
  return true;
}

/** Undefined if there is no link of this name. */
async function showLink(
  name: string,
): Promise<{ readonly up: boolean; readonly addresses: readonly string[] } | undefined> {
  let text: string;
  try {
    text = await run("ip", ["-json", "address", "show", "dev", name]);
  } catch (error) {
    if (error instanceof CommandError && error.stderr.includes("does not exist")) return undefined;
    throw error;
  }
  const [entry] = JSON.parse(text) as { flags?: string[]; addr_info?: { local?: string }[] }[];
  const addresses = (entry?.addr_info ?? []).flatMap(({ local }) => local ?? []);
  return { up: entry?.flags?.includes("UP") ?? false, addresses };
}

// A dummy link is the simplest; a bridge without ports does the same where the kernel was built without it.
async function createLink(name: string): Promise<void> {
  try {
    await run("ip", ["link", "add", "dev", name, "type", "dummy"]);
  } catch (error) {
    if (!(error instanceof CommandError) || !/unknown device type|not supported/i.test(error.stderr)) throw error;
    await run("ip", ["link", "add", "dev", name, "type", "bridge"]);
  }
}

async function batch(commands: readonly string[]): Promise<void> {
  if (commands.length > 0) await run("ip", ["-batch", "-"], `${commands.join("\n")}\n`);
}

function host(address: string): string {
  return `${address}/${familyOf(address) === "IPv6" ? 128 : 32}`;
}
