import type { Backend } from "../../model/packet-rules/iptables/backend";
import { chainName } from "../../model/packet-rules/iptables/names";
import { renderNodeCacheRemoval } from "../../model/packet-rules/iptables/node-cache-removal";
import { readCounts, readLinkLocalPackets, readSwitches } from "../../model/packet-rules/iptables/readings";
import { hasExactJumps, renderIptables, renderIptablesRemoval } from "../../model/packet-rules/iptables/render";
import { ownLines } from "../../model/packet-rules/iptables/saved";
import type { FamilyChains } from "../../model/packet-rules/iptables/types";
import type { Listener, Switches } from "../../model/packet-rules/listener";
import type { IptablesRuleSet } from "../../model/packet-rules/rule-set";
import type { PacketFilterDriver } from "./driver";
import { chooseBackend, command, restore, save, toolsInUse, type Tool } from "./iptables-tool";

/** Our chains of iptables, in the backend that holds the node's other rules. */
export function iptablesFilter({ families, listeners }: IptablesRuleSet): PacketFilterDriver {
  let backend: Backend | undefined;
  /** What our last write left; empty if it failed. */
  let written: readonly SavedFamily[] = [];

  async function saveAll(args: readonly string[] = []): Promise<SavedFamily[]> {
    const chosen = (backend ??= await chooseBackend());
    const tools = families.map((family) => ({ ...family, backend: chosen }));
    return Promise.all(tools.map(async (tool) => ({ ...tool, saved: await save(tool, args) })));
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

  async function install({ pods }: Switches): Promise<void> {
    const before = await saveAll();
    try {
      await write(pods, before);
    } catch (error) {
      // Tables are written one by one: if this was the first attempt, take back those that succeeded.
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
      // To lose no time, this builds on what we last wrote. If somebody has flushed the rules since, it fails or leaves jumps missing.
      if (written.length > 0) await write(to.pods, written).catch(() => undefined);
      const hasJumps = ({ chains, saved }: SavedFamily) => hasExactJumps(chains, to.pods, saved);
      if (written.length === 0 || !written.every(hasJumps)) await install(to);
    },

    async renewHostAndCount() {
      const saved = textOf(await saveAll(["-c"]));
      return listeners.map((listener) => readCounts(saved, listener));
    },
  };
}

interface SavedFamily extends Tool, FamilyChains {
  /** What `iptables-save` printed. */
  readonly saved: string;
}

/** What to remove from the node's iptables besides our chains, and where those stay. */
export interface Leftovers {
  /** Our chains in this backend stay. */
  readonly keep?: Backend;
  /** Rules that node-cache made for these addresses. */
  readonly nodeCacheAddresses?: readonly string[];
}

/** @returns What was removed where, in words. */
export async function removeFromIptables({ keep, nodeCacheAddresses = [] }: Leftovers = {}): Promise<string[]> {
  const removed: string[] = [];
  for (const tool of toolsInUse()) {
    const saved = await save(tool);
    const parts = {
      chains: tool.backend === keep ? "" : renderIptablesRemoval(saved),
      "node-cache rules": renderNodeCacheRemoval(saved, nodeCacheAddresses),
    };
    await restore(tool, Object.values(parts).join(""));
    for (const [what, text] of Object.entries(parts)) if (text !== "") removed.push(`${what} in ${command(tool)}`);
  }
  return removed;
}

/** Packets to these addresses that our chains have counted. */
export async function countLinkLocalPackets(linkLocalIPs: readonly string[]): Promise<number> {
  const saved = await Promise.all(toolsInUse().map((tool) => save(tool, ["-c"])));
  return readLinkLocalPackets(saved.join(""), linkLocalIPs);
}

function textOf(all: readonly SavedFamily[]): string {
  return all.map(({ saved }) => saved).join("");
}
