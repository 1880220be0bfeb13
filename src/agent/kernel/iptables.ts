import { readFileSync } from "node:fs";
import { familyOf, type Family } from "../../model/syntax/addresses";
import { hasJumps, ownLines, renderIptables, renderIptablesRemoval } from "../../model/packet-rules/iptables";
import { iptablesBackend, type Backend } from "../../model/packet-rules/iptables-backend";
import { renderNodeCacheRemoval } from "../../model/packet-rules/node-cache";
import { chainName, type Listener, type RuleSet, type Switches } from "../../model/packet-rules/rule";
import type { Counts, PacketFilterDriver } from "./packet-filter";
import { CommandError, run } from "./run";

/** Our chains of iptables, in the backend that the node's other rules are in. */
export function iptablesFilter(ruleSet: RuleSet): PacketFilterDriver {
  const families = [...new Set(ruleSet.link.addresses.map((address) => familyOf(address) ?? "IPv4"))];
  /** What the tables looked like after our last write, of each family. */
  let written: readonly string[] = [];
  let backend: Promise<Backend> | undefined;
  const tool = async (family: Family): Promise<Tool> => {
    backend ??= chooseBackend();
    // One that could not be told is asked for again.
    backend.catch(() => (backend = undefined));
    return { family, backend: await backend };
  };
  const saveAll = async () => Promise.all(families.map(async (family) => save(await tool(family))));

  function switchesIn(savedOfAll: readonly string[]): Switches | undefined {
    const saved = savedOfAll.join("");
    if (!saved.includes(`:${chainName}`)) return undefined;
    return {
      pods: ruleSet.listeners.filter((listener) => ownLines(saved).some((line) => isSwitch(line, listener))),
      host: [],
    };
  }

  async function write(switches: Switches, saved: readonly string[]): Promise<void> {
    for (const [i, family] of families.entries()) {
      await restore(await tool(family), renderIptables(ruleSet, family, switches, saved[i] ?? ""));
    }
    written = await saveAll();
  }

  return {
    switches: async () => switchesIn(await saveAll()),

    async apply(switches) {
      const before = await saveAll();
      try {
        await write(switches, before);
      } catch (error) {
        // Tables are written one by one: of a first attempt that failed, nothing stays.
        if (before.every((saved) => !saved.includes(chainName)))
          await removeFromIptables({ chains: {}, nodeCacheAddresses: [] });
        throw error;
      }
    },

    async turn(_from, to) {
      // What it looked like after the last write is enough to turn at once. If somebody has flushed it since, our jumps are missing.
      if (written.length === 0) return this.apply(to);
      await write(to, written).catch(() => this.apply(to));
      const complete = families.every((family, i) => hasJumps(renderIptables(ruleSet, family, to, written[i] ?? "")));
      if (!complete) await this.apply(to);
    },

    async refresh() {
      const lines = await Promise.all(
        families.map(async (family) => run(`${command(await tool(family))}-save`, ["-c"])),
      );
      return ruleSet.listeners.map((listener) => countsOf(listener, lines.join("").split("\n")));
    },

    async intactSwitches() {
      const saved = await saveAll();
      return written.length > 0 && sameLines(saved, written) ? switchesIn(saved) : undefined;
    },
  };
}

/** What to take out of the node's iptables. */
export interface Leftovers {
  /** Our chains, in every backend but this one. */
  readonly chains: { readonly keep?: Backend };
  /** Rules that node-cache made for these addresses. */
  readonly nodeCacheAddresses: readonly string[];
}

/** @returns Where there was something, in words. */
export async function removeFromIptables({ chains, nodeCacheAddresses }: Leftovers): Promise<string[]> {
  const removed: string[] = [];
  for (const backend of ["nft", "legacy"] as const) {
    for (const family of ["IPv4", "IPv6"] as const) {
      const tool = { family, backend };
      if (!inUse(tool)) continue;
      const saved = await save(tool);
      const parts = {
        chains: chains.keep !== backend ? renderIptablesRemoval(saved) : "",
        "node-cache rules": renderNodeCacheRemoval(saved, nodeCacheAddresses),
      };
      await restore(tool, Object.values(parts).join(""));
      for (const [what, text] of Object.entries(parts)) if (text !== "") removed.push(`${what} in ${command(tool)}`);
    }
  }
  return removed;
}

/** Packets to these addresses that our jumps have counted; of the nat table only the first of a connection. */
export async function linkLocalConnections(linkLocalIPs: readonly string[]): Promise<number> {
  let sum = 0;
  for (const backend of ["nft", "legacy"] as const) {
    for (const family of new Set(linkLocalIPs.map((address) => familyOf(address) ?? "IPv4"))) {
      if (!inUse({ family, backend })) continue;
      const lines = (await run(`${command({ family, backend })}-save`, ["-c"])).split("\n");
      const jumps = lines.filter(
        (line) => line.includes(`-j ${chainName}`) && linkLocalIPs.some((address) => line.includes(` -d ${address}/`)),
      );
      sum += jumps.reduce((total, line) => total + packets(line), 0);
    }
  }
  return sum;
}

/** The backend that `iptablesFilter` uses on this node. Unless all can be seen, none: rules in the wrong one would do nothing. */
export async function chooseBackend(): Promise<Backend> {
  const both = async (backend: Backend) =>
    (
      await Promise.all(
        (["IPv4", "IPv6"] as const).map((family) => (inUse({ family, backend }) ? save({ family, backend }) : "")),
      )
    ).join("");
  return iptablesBackend({ nft: await both("nft"), legacy: await both("legacy") });
}

interface Tool {
  readonly family: Family;
  readonly backend: Backend;
}

// Merely listing with iptables-legacy would make the kernel load its tables.
function inUse({ family, backend }: Tool): boolean {
  if (backend === "nft") return true;
  try {
    return readFileSync(`/proc/net/${family === "IPv4" ? "ip" : "ip6"}_tables_names`, "utf8").trim() !== "";
  } catch {
    return false;
  }
}

async function save(tool: Tool): Promise<string> {
  try {
    return await run(`${command(tool)}-save`, []);
  } catch (error) {
    throw explained(error, tool);
  }
}

async function restore(tool: Tool, text: string): Promise<void> {
  if (text === "") return;
  try {
    // 5 seconds for the lock as kube-proxy waits.
    await run(`${command(tool)}-restore`, ["--noflush", "-w", "5"], text);
  } catch (error) {
    throw explained(error, tool);
  }
}

function explained(error: unknown, tool: Tool): unknown {
  if (!(error instanceof CommandError)) return error;
  const why = error.stderr.includes("Permission denied")
    ? "; iptables-legacy needs the capability NET_RAW beside NET_ADMIN"
    : "";
  return new Error(`${command(tool)}: ${error.message}${why}`, { cause: error });
}

function command({ family, backend }: Tool): string {
  return `${family === "IPv4" ? "iptables" : "ip6tables"}-${backend}`;
}

function isSwitch(line: string, { address, protocol }: Listener): boolean {
  return (
    line.startsWith(`raw -A ${chainName} -d ${address}/`) &&
    line.includes(` -p ${protocol} `) &&
    line.includes("-m socket")
  );
}

function countsOf({ address, protocol }: Listener, lines: readonly string[]): Counts {
  const sum = (test: (line: string) => boolean) => lines.filter(test).reduce((total, line) => total + packets(line), 0);
  return {
    requests: sum(
      (line) =>
        line.includes(`-A ${chainName} -d ${address}/`) &&
        line.includes(` -p ${protocol} `) &&
        line.includes("-m socket"),
    ),
    replies: sum((line) => line.includes(`-A ${chainName}-POST -s ${address}/`) && line.includes(` -p ${protocol} `)),
  };
}

function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return a.flatMap(ownLines).join("\n") === b.flatMap(ownLines).join("\n");
}

// `[12:840] -A ...`
function packets(line: string): number {
  return Number(/^\[(\d+):/.exec(line)?.[1] ?? 0);
}
