import { readFileSync } from "node:fs";
import type { Backend } from "../../model/packet-rules/iptables/backend";
import { chainName, clientListName, tables } from "../../model/packet-rules/iptables/names";
import type { ClientList, Table } from "../../model/packet-rules/iptables/names";
import { renderNodeCacheRemoval } from "../../model/packet-rules/iptables/node-cache-removal";
import {
  readClients,
  readCounts,
  readLinkLocalPackets,
  readSwitches,
} from "../../model/packet-rules/iptables/readings";
import {
  hasExactJumps,
  isWhole,
  kubeProxyChains,
  renderIptables,
  renderIptablesRemoval,
  surplusByHandle,
  tablesThatTurn,
} from "../../model/packet-rules/iptables/render";
import { ownLines, pickTables, withTables } from "../../model/packet-rules/iptables/saved";
import type { Chain, FamilyChains } from "../../model/packet-rules/iptables/types";
import { sameListeners, type Listener, type Switches } from "../../model/packet-rules/listener";
import type { IptablesRuleSet } from "../../model/packet-rules/rule-set";
import type { Counts, PacketFilterDriver } from "./driver";
import { chooseBackend, command, deleteRules, restore, saveOwn, toolsInUse, type Tool } from "./iptables-tool";
import { orElse } from "../../model/syntax/or-else";

/** Our iptables chains, in the backend that holds the node's other rules. */
export class IptablesFilter implements PacketFilterDriver {
  private backend: Backend | undefined;
  /** The rules after our last write; empty if it failed. */
  private written: readonly SavedFamily[] = [];
  private readonly clients = createClientCounting();
  private readonly turning;

  constructor(private readonly rules: IptablesRuleSet) {
    this.turning = tablesThatTurn(rules.families);
  }

  async switches(): Promise<Switches | undefined> {
    return this.switchesIn(await this.saveAll());
  }

  async switchesIfIntact(): Promise<Switches | undefined> {
    const now = await this.saveAll();
    const intact = this.written.length > 0 && ownLines(textOf(now)).join() === ownLines(textOf(this.written)).join();
    return intact ? this.switchesIn(now) : undefined;
  }

  async install({ pods }: Switches): Promise<void> {
    const before = await this.saveAll();
    try {
      await this.write(pods, before);
    } catch (error) {
      // Tables are written one by one: if this was the first attempt, undo those that succeeded.
      if (!textOf(before).includes(chainName)) await removeFromIptables();
      throw error;
    }
  }

  async turnSwitches(from: Switches, to: Switches): Promise<void> {
    // There are none for the node's own processes.
    if (sameListeners(from.pods, to.pods)) return;
    // To save time, this builds on what we last wrote. If someone has flushed the rules since, it fails or leaves jumps
    // missing.
    if (this.written.length > 0) await this.turn(to.pods).catch(() => undefined);
    const hasJumps = ({ chains, saved }: SavedFamily) => hasExactJumps(chains, to.pods, saved);
    if (this.written.length === 0 || !this.written.every(hasJumps)) await this.install(to);
  }

  async counts() {
    const saved = textOf(await this.saveAll(["mangle"], true));
    return this.rules.listeners.map((each) => ({ ...readCounts(saved, each), ...this.clients(each) }));
  }

  private async saveAll(wanted: readonly Table[] = tables, counters = false): Promise<SavedFamily[]> {
    const backend = (this.backend ??= await chooseBackend());
    const tools = this.rules.families.map((family) => ({ ...family, backend }));
    return Promise.all(
      tools.map(async (tool) => {
        const others = wanted.includes("nat") ? kubeProxyChains(tool.chains) : [];
        return { ...tool, saved: await saveOwn(tool, wanted, { counters, others }) };
      }),
    );
  }

  private switchesIn(all: readonly SavedFamily[]): Switches | undefined {
    const pods = readSwitches(textOf(all), this.rules.listeners);
    return pods && { pods, host: [] };
  }

  private async write(on: readonly Listener[], before: readonly SavedFamily[]): Promise<void> {
    this.written = [];
    for (const { chains, saved, ...tool } of before) await replace(tool, chains, on, saved);
    const after = await this.saveAll();
    // Else what somebody removed meanwhile would never seem to be missing.
    if (!after.every(({ chains, saved }) => isWhole(chains, on, saved)))
      throw new Error("iptables does not list all of our rules, which were just written");
    this.written = after;
  }

  /** Only the tables that contain switches: writing all takes a second with kube-proxy's rules for 10,000 Services. */
  private async turn(on: readonly Listener[]): Promise<void> {
    const before = this.written;
    this.written = [];
    for (const { chains, saved, ...tool } of before) {
      const own = chains.filter(({ table }) => this.turning.includes(table));
      await replace(tool, own, on, pickTables(saved, this.turning));
    }
    const after = await this.saveAll(this.turning);
    this.written = before.map((family, i) => ({ ...family, saved: withTables(family.saved, after[i]?.saved ?? "") }));
  }
}

async function replace(tool: Tool, chains: readonly Chain[], on: readonly Listener[], saved: string): Promise<void> {
  await deleteRules(tool, surplusByHandle(chains, on, saved));
  await restore(tool, renderIptables(chains, on, saved));
}

interface SavedFamily extends Tool, FamilyChains {
  /** Output of `iptables-save`. */
  readonly saved: string;
}

/** What to remove from the node's iptables besides our chains, and what to keep. */
interface Leftovers {
  /** Keep our chains in this backend. */
  readonly keep?: Backend;
  readonly nodeCacheAddresses?: readonly string[];
  /** As for {@link saveOwn}. */
  readonly nftChains?: string | undefined;
}

/** @returns Descriptions of what was removed and where, after those that `removed` already has. */
export async function removeFromIptables(
  { keep, nodeCacheAddresses = [], nftChains }: Leftovers = {},
  removed: string[] = [],
): Promise<string[]> {
  for (const tool of toolsInUse()) {
    const saved = await saveOwn(tool, tables, { nftChains });
    const parts = {
      chains: tool.backend === keep ? "" : renderIptablesRemoval(saved),
      "node-cache rules": renderNodeCacheRemoval(saved, nodeCacheAddresses),
    };
    if (parts.chains !== "") await deleteRules(tool, surplusByHandle([], [], saved));
    await restore(tool, Object.values(parts).join(""));
    for (const [what, text] of Object.entries(parts)) if (text !== "") removed.push(`${what} in ${command(tool)}`);
  }
  return removed;
}

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
    const now = readClients(orElse(() => readFileSync(`/proc/net/xt_recent/${name}`, "utf8"), ""));
    before.set(name, now);
    return [...now].flatMap(([client, at]) => (last.get(client) === at ? [] : [client]));
  }

  return (listener) => {
    const asked = seen("asked", listener);
    const answered = new Set(seen("answered", listener));
    return { asked: asked.length, answered: asked.filter((client) => answered.has(client)).length };
  };
}

function textOf(all: readonly SavedFamily[]): string {
  return all.map(({ saved }) => saved).join("");
}
