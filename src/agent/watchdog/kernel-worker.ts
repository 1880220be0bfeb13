import { setTimeout as sleep } from "node:timers/promises";
import { includesListener, type Listener, type Switches } from "../../model/packet-rules/listener";
import type { RuleSet } from "../../model/packet-rules/rule-set";
import type { Counts, PacketFilterDriver } from "../kernel/driver";
import { inputPolicyThatDrops } from "../kernel/input-policy";
import { ensureLink } from "../kernel/link";
import { removeOthers } from "../kernel/takeover";
import { rateLimited, type Logger } from "../log";

/** Everything that is done in the kernel, one thing at a time. */
export interface KernelWorker {
  /** Asks for a piece of work; asking again before it is begun changes nothing. */
  request(work: Work): void;
}

/**
 * `switches`: turn to what is wanted. `link`, `rules`: compare and repair. `counts`: read, and refresh the host's switch.
 * `others`: what drops our packets, and rules of other installations.
 */
export type Work = "switches" | "link" | "rules" | "counts" | "others";

export interface KernelWorkerOptions {
  readonly ruleSet: RuleSet;
  readonly filter: PacketFilterDriver;
  readonly serviceIPs: readonly string[];
  readonly log: Logger;
  /** Whether our rules are there already, from node-setup or a watchdog before this one. */
  readonly rulesStand: boolean;
  /** What the state says now. */
  wanted(): Switches;
  onCounts(counts: readonly Counts[]): void;
  onBlocked(why: string | undefined): void;
  onRepaired(kind: "link" | "address" | "rules" | "switches" | "others"): void;
  /** After each piece of work: undefined when it went well. */
  onResult(work: Work, error: Error | undefined): void;
}

/** Milliseconds: listeners of one process are left within a few of each other, and one write does for all. */
const gather = 5;

/** Milliseconds; a lock that somebody holds is free again some time. */
const retryAfter = 1000;

export function createKernelWorker(options: KernelWorkerOptions): KernelWorker {
  const { ruleSet, filter, serviceIPs, log } = options;
  // Without NET_RAW it cannot look into iptables-legacy, today nor in a minute.
  const warnOfOthers = rateLimited(86_400_000, (message) => log.warn(message));
  const pending = new Set<Work>();
  let working = false;
  /** Undefined until our rules have been written once. */
  let applied: Switches | undefined;
  let rulesStand = options.rulesStand;
  // Once, at the start: an address of another mode that comes later is of a node-setup that is ahead of us in a rollout, and its cache
  // could not start without.
  let tidied = false;

  async function apply(): Promise<void> {
    const wanted = options.wanted();
    applied = undefined;
    await filter.install(wanted);
    applied = wanted;
    if (!rulesStand) pending.add("link");
    rulesStand = true;
  }

  const works: { readonly [work in Work]: () => Promise<void> } = {
    async switches() {
      if (applied === undefined) return apply();
      const wanted = options.wanted();
      const from = applied;
      applied = undefined;
      await filter.turnSwitches(from, wanted);
      applied = wanted;
    },

    async link() {
      // A link without rules would only give the node's own queries a source that nobody can answer.
      if (!rulesStand) return;
      const { link, addresses } = await ensureLink(ruleSet.link, tidied ? [] : serviceIPs);
      tidied = true;
      if (link) options.onRepaired("link");
      else if (addresses.length > 0) options.onRepaired("address");
    },

    async rules() {
      if (applied === undefined) return apply();
      const there = await filter.switchesIfIntact();
      if (there && sameListeners(there.pods, applied.pods)) return;
      await apply();
      options.onRepaired(there ? "switches" : "rules");
    },

    async counts() {
      if (applied === undefined) return;
      options.onCounts(await filter.renewHostAndCount(applied.host));
    },

    async others() {
      options.onBlocked(await inputPolicyThatDrops(ruleSet.packetFilter));
      if ((await removeOthers(ruleSet, log, warnOfOthers)).length > 0) options.onRepaired("others");
    },
  };

  async function drain(): Promise<void> {
    working = true;
    if (pending.has("switches")) await sleep(gather);
    for (const work of order.filter((one) => pending.has(one))) {
      pending.delete(work);
      let error: Error | undefined;
      try {
        await works[work]();
      } catch (caught) {
        error = caught as Error;
        setTimeout(() => request(work), retryAfter);
      }
      options.onResult(work, error);
    }
    working = false;
    if (pending.size > 0) void drain();
  }

  function request(work: Work): void {
    pending.add(work);
    if (!working) void drain();
  }

  return { request };
}

// What stops losses comes first; rules before the link, as in node-setup.
const order: readonly Work[] = ["switches", "rules", "link", "counts", "others"];

function sameListeners(a: readonly Listener[], b: readonly Listener[]): boolean {
  return a.length === b.length && a.every((listener) => includesListener(b, listener));
}
