import { readFileSync } from "node:fs";
import type { Backend } from "../../model/packet-rules/iptables/backend";
import {
  chainName,
  clientListName,
  tables,
  type ClientList,
  type Table,
} from "../../model/packet-rules/iptables/names";
import { renderNodeCacheRemoval } from "../../model/packet-rules/iptables/node-cache-removal";
import {
  readClients,
  readCounts,
  readLinkLocalPackets,
  readSwitches,
} from "../../model/packet-rules/iptables/readings";
import {
  hasExactJumps,
  kubeProxyChains,
  renderIptables,
  renderIptablesRemoval,
  tablesThatTurn,
} from "../../model/packet-rules/iptables/render";
import { ownLines, pickTables } from "../../model/packet-rules/iptables/saved";
import type { FamilyChains } from "../../model/packet-rules/iptables/types";
import type { Listener, Switches } from "../../model/packet-rules/listener";
import type { IptablesRuleSet } from "../../model/packet-rules/rule-set";
import type { Counts, PacketFilterDriver } from "./driver";
import { chooseBackend, command, restore, saveOwn, toolsInUse, type Tool } from "./iptables-tool";

/** Our iptables chains, in the backend that holds the node's other rules. */
export function iptablesFilter({ families, listeners }: IptablesRuleSet): PacketFilterDriver {
  let backend: Backend | undefined;
  const turning = tablesThatTurn(families);
  const staying = tables.filter((table) => !turning.includes(table));
  const clients = createClientCounting();
  /** The rules after our last write; empty if it failed. */
  let written: readonly SavedFamily[] = [];

  async function saveAll(wanted: readonly Table[] = tables, counters = false): Promise<SavedFamily[]> {
    const chosen = (backend ??= await chooseBackend());
    const tools = families.map((family) => ({ ...family, backend: chosen }));
    return Promise.all(
      tools.map(async (tool) => {
        const others = wanted.includes("nat") ? kubeProxyChains(tool.chains) : [];
        return { ...tool, saved: await saveOwn(tool, wanted, { counters, others }) };
      }),
    );
  }

  function switchesIn(all: readonly SavedFamily[]): Switches | undefined {
    const pods = readSwitches(textOf(all), listeners);
    return pods && { pods, host: [] };
  }

  async function write(on: readonly Listener[], before: readonly SavedFamily[]): Promise<void> {
    written = [];
    for (const tool of before) await restore(tool, renderIptables(tool.chains, on, tool.saved));
    written = await saveAll();
  }

  // Only the tables that contain switches: writing all takes a second with kube-proxy's rules for 10,000 Services.
  async function turn(on: readonly Listener[]): Promise<void> {
    const before = written;
    written = [];
    for (const { chains, saved, ...tool } of before) {
      const own = chains.filter(({ table }) => turning.includes(table));
      await restore(tool, renderIptables(own, on, pickTables(saved, turning)));
    }
    const after = await saveAll(turning);
    written = before.map((family, i) => ({
      ...family,
      saved: pickTables(family.saved, staying) + (after[i]?.saved ?? ""),
    }));
  }

  async function install({ pods }: Switches): Promise<void> {
    const before = await saveAll();
    try {
      await write(pods, before);
    } catch (error) {
      // Tables are written one by one: if this was the first attempt, undo those that succeeded.
      if (!textOf(before).includes(chainName)) await removeFromIptables();
      throw error;
    }
  }

  return {
    switches: async () => switchesIn(await saveAll()),

    async switchesIfIntact() {
      const now = await saveAll();
      const intact = written.length > 0 && ownLines(textOf(now)).join() === ownLines(textOf(written)).join();
      return intact ? switchesIn(now) : undefined;
    },

    install,

    async turnSwitches(_from, to) {
      // To save time, this builds on what we last wrote. If someone has flushed the rules since, it fails or leaves
      // jumps missing.
      if (written.length > 0) await turn(to.pods).catch(() => undefined);
      const hasJumps = ({ chains, saved }: SavedFamily) => hasExactJumps(chains, to.pods, saved);
      if (written.length === 0 || !written.every(hasJumps)) await install(to);
    },

    async counts() {
      const saved = textOf(await saveAll(["mangle"], true));
      return listeners.map((listener) => ({ ...readCounts(saved, listener), ...clients(listener) }));
    },
  };
}

interface SavedFamily extends Tool, FamilyChains {
  /** Output of `iptables-save`. */
  readonly saved: string;
}

/** What to remove from the node's iptables besides our chains, and what to keep. */
export interface Leftovers {
  /** Keep our chains in this backend. */
  readonly keep?: Backend;
  /** Also remove node-cache's rules for these addresses. */
  readonly nodeCacheAddresses?: readonly string[];
}

/** @returns Descriptions of what was removed and where, after those that `removed` already has. */
export async function removeFromIptables(
  { keep, nodeCacheAddresses = [] }: Leftovers = {},
  removed: string[] = [],
): Promise<string[]> {
  for (const tool of toolsInUse()) {
    const saved = await saveOwn(tool, tables);
    const parts = {
      chains: tool.backend === keep ? "" : renderIptablesRemoval(saved),
      "node-cache rules": renderNodeCacheRemoval(saved, nodeCacheAddresses),
    };
    await restore(tool, Object.values(parts).join(""));
    for (const [what, text] of Object.entries(parts)) if (text !== "") removed.push(`${what} in ${command(tool)}`);
  }
  return removed;
}

/** Number of packets to these addresses that our chains have counted. */
export async function countLinkLocalPackets(linkLocalIPs: readonly string[]): Promise<number> {
  const saved = await Promise.all(toolsInUse().map((tool) => saveOwn(tool, tables, { counters: true })));
  return readLinkLocalPackets(saved.join(""), linkLocalIPs);
}

// An xt_recent list has the time each client was last seen, in a unit of its own: entries that changed since the last
// reading are recent.
function createClientCounting(): (listener: Listener) => Pick<Counts, "asked" | "answered"> {
  const before = new Map<string, ReadonlyMap<string, string>>();

  function seen(list: ClientList, listener: Listener): string[] {
    const name = clientListName(list, listener);
    const last = before.get(name) ?? new Map<string, string>();
    const now = readClients(readList(name));
    before.set(name, now);
    return [...now].flatMap(([client, at]) => (last.get(client) === at ? [] : [client]));
  }

  return (listener) => {
    const asked = seen("asked", listener);
    const answered = new Set(seen("answered", listener));
    return { asked: asked.length, answered: asked.filter((client) => answered.has(client)).length };
  };
}

function readList(name: string): string {
  try {
    return readFileSync(`/proc/net/xt_recent/${name}`, "utf8");
  } catch {
    return "";
  }
}

function textOf(all: readonly SavedFamily[]): string {
  return all.map(({ saved }) => saved).join("");
}
