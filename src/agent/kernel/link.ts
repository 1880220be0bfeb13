import { setTimeout as sleep } from "node:timers/promises";
import { formatNotes, parseNotes, type LinkNotes } from "../../model/packet-rules/link-notes";
import type { Link } from "../../model/packet-rules/rule-set";
import { familyOf, hostCIDR } from "../../model/syntax/addresses";
import { CommandError, run } from "./run";

export interface LinkRepairs {
  readonly link: boolean;
  readonly addresses: readonly string[];
  readonly notes: LinkNotes | undefined;
}

/** For a cache of the previous mode to answer what it has accepted: it cannot from an address that is gone. */
const answersUnderWayMs = 1000;

/**
 * Creates the link and its addresses if they are missing. Other addresses on it stay, as they may belong to a
 * node-cache that still runs, except for `unwanted` ones, which belong to another mode of ours.
 * @param notes Written if the link has none.
 * @throws Error if a link of another kind has this name.
 */
export async function ensureLink(link: Link, unwanted: readonly string[], notes?: LinkNotes): Promise<LinkRepairs> {
  const state = await showLink(link.name);
  if (state?.foreign)
    throw new Error(`${state.foreign}, not what this program makes, so it is left alone; rename or remove it`);
  if (state === undefined) await createLink(link.name);
  const present = state?.addresses ?? [];
  const missing = link.addresses.filter((address) => !present.includes(address));
  const surplus = unwanted.filter((address) => present.includes(address) && !link.addresses.includes(address));
  await batch([
    ...(state?.up ? [] : [`link set dev ${link.name} up`]),
    // nodad: nothing else is on this link, and programs cannot bind to the address until duplicate address detection
    // ends.
    ...missing.map(
      (address) => `address add ${hostCIDR(address)} dev ${link.name}${familyOf(address) === "IPv6" ? " nodad" : ""}`,
    ),
  ]);
  if (surplus.length > 0) {
    await sleep(answersUnderWayMs);
    await batch(surplus.map((address) => `address del ${hostCIDR(address)} dev ${link.name}`));
  }
  if (notes && !state?.notes) await writeNotes(link.name, notes);
  return { link: !state?.up, addresses: missing, notes: state?.notes ?? notes };
}

export async function writeNotes(linkName: string, notes: LinkNotes): Promise<void> {
  await run("ip", ["link", "set", "dev", linkName, "alias", formatNotes(notes)]);
}

/** @returns Whether there was a link of ours. */
export async function deleteLink(name: string): Promise<boolean> {
  if (!(await hasLink(name))) return false;
  await run("ip", ["link", "delete", "dev", name]);
  return true;
}

export async function hasLink(name: string): Promise<boolean> {
  const state = await showLink(name);
  return state !== undefined && !state.foreign;
}

/** Undefined if no link has this name. */
async function showLink(name: string) {
  let text: string;
  try {
    text = await run("ip", ["-json", "-details", "address", "show", "dev", name]);
  } catch (error) {
    if (error instanceof CommandError && error.stderr.includes("does not exist")) return undefined;
    throw error;
  }
  const [entry] = JSON.parse(text) as ShownLink[];
  const kind = entry?.linkinfo?.info_kind ?? "link of the machine";
  const ports = kind === "bridge" ? await portsOf(name) : [];
  return {
    up: entry?.flags?.includes("UP") ?? false,
    addresses: (entry?.addr_info ?? []).flatMap(({ local }) => local ?? []),
    notes: parseNotes(entry?.ifalias ?? ""),
    /** What it is, if it is not a link of ours. */
    foreign: !["dummy", "bridge"].includes(kind)
      ? `${name} is a ${kind}`
      : ports.length > 0
        ? `${name} is a bridge with the port ${ports[0]}`
        : undefined,
  };
}

interface ShownLink {
  readonly flags?: string[];
  readonly ifalias?: string;
  readonly linkinfo?: { readonly info_kind?: string };
  readonly addr_info?: { readonly local?: string }[];
}

async function portsOf(bridge: string): Promise<string[]> {
  const listed = JSON.parse((await run("ip", ["-json", "link", "show", "master", bridge])) || "[]") as {
    ifname?: string;
  }[];
  return listed.flatMap(({ ifname }) => ifname ?? []);
}

// A dummy link is the simplest; on kernels built without it, a bridge without ports does the same.
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
