import { setTimeout as sleep } from "node:timers/promises";
import { includesListener, sameListener, type Listener, type Switches } from "../../model/packet-rules/listener";
import { errorMessage } from "../errors";
import { silenceArp } from "../kernel/arp";
import { inputPolicyThatDrops } from "../kernel/input-policy";
import { noNotes, type LinkNotes } from "../../model/packet-rules/link-notes";
import { ensureLink } from "../kernel/link";
import type { NodeRules } from "../kernel/node-rules";
import { removeOthers } from "../kernel/removal";
import { rateLimited, type Logger } from "../log";
import { createCounting } from "./counting";
import type { Reporting } from "./reporting";
import { wantedSwitches, type WatchdogEvent, type WatchdogState } from "./state";
import type { RepairKind, Work } from "./work";

/** Does everything that happens in the kernel, one thing at a time. */
export interface KernelWorker {
  /** Requests a piece of work; requesting it again before it has begun changes nothing. */
  request(...works: readonly Work[]): void;
  /** Whether a piece of work has been tried, successfully or not. */
  tried(work: Work): boolean;
  /** Resolves when everything requested has been tried. */
  done(): Promise<void>;
  /** What node-setup wrote on the link. */
  notes(): LinkNotes;
  /** Why link and rules may not be as they should; undefined if they are. */
  problem(): string | undefined;
}

interface KernelWorkerOptions {
  readonly rules: NodeRules;
  readonly serviceIPs: readonly string[];
  /** Whether the previous cache may still reach the cluster DNS through another packet filter's rules. */
  readonly keepWayPastCache: boolean;
  /** Whether our rules are already in the kernel, from node-setup or an earlier watchdog. */
  readonly rulesInstalled: boolean;
  readonly log: Logger;
  /** The labels of a nameserver that the cache cannot use. */
  unusable(nameserver: string): { readonly nameserver: string; readonly file: string; readonly fault: string };
  readonly report: Reporting;
  state(): WatchdogState;
  dispatch(event: WatchdogEvent): void;
}

/** The listeners of one process fail within a few milliseconds of each other; one write covers them all. */
const gatherMs = 5;

const retryAfterMs = 1000;

/** If a reading finds replies missing, read again soon to confirm it. */
const confirmAfterMs = 1000;

// What stops losses comes first; rules before the link, as in node-setup.
const order: readonly Work[] = ["switches", "rules", "link", "counts", "others"];

export function createKernelWorker(options: KernelWorkerOptions): KernelWorker {
  const { report, state, dispatch, log } = options;
  const { ruleSet, filter } = options.rules;
  const packetsIn = createCounting(ruleSet.listeners);
  // Without NET_RAW it can never read iptables-legacy, so do not repeat the warning.
  const warnOfOthers = rateLimited(log, "warn", 86_400_000);
  const warnOfArp = rateLimited(log, "warn", 86_400_000);
  const pending = new Set<Work>();
  const tried = new Set<Work>();
  let hasSeenLink = false;
  const failures = new Map<Work, string>();
  const retrying = new Set<Work>();
  let working = false;
  let drained = Promise.resolve();
  /** Undefined until our rules have been written once. */
  let applied: Switches | undefined;
  let { rulesInstalled } = options;
  /** As last read; a recreated link gets them again. */
  let notes: LinkNotes | undefined;
  // Addresses of another mode are removed once, at the start: an address that appears later comes from a node-setup
  // that is ahead of us in a rollout, and its cache could not start without it.
  let unwanted = options.serviceIPs;
  // The cache may be replaced after us, but before the next check.
  let { keepWayPastCache } = options;

  async function apply(): Promise<void> {
    const wanted = wantedSwitches(state());
    applied = undefined;
    await filter.install(wanted);
    applied = wanted;
    if (!rulesInstalled) pending.add("link");
    rulesInstalled = true;
  }

  const works: { readonly [work in Work]: () => Promise<void> } = {
    async switches() {
      if (applied === undefined) return apply();
      const wanted = wantedSwitches(state());
      const from = applied;
      applied = undefined;
      await filter.turnSwitches(from, wanted);
      applied = wanted;
    },

    async link() {
      // A link without rules would only give the node's own queries a source address that gets no answers.
      if (!rulesInstalled) return;
      const ensured = await ensureLink(ruleSet.link, unwanted, notes);
      const { link, addresses } = ensured;
      unwanted = [];
      await silenceArp(ruleSet.link.addresses, warnOfArp);
      notes = ensured.notes;
      report.leftovers(notes?.leftovers ?? false);
      report.nameservers((notes?.nameservers ?? []).map(options.unusable));
      // On a new node the watchdog may be there before the cache's pod: its first look makes the link, and mends nothing.
      if (hasSeenLink && link) repaired("link");
      else if (hasSeenLink && addresses.length > 0) repaired("address");
      hasSeenLink = true;
    },

    async rules() {
      if (applied === undefined) return apply();
      const present = await filter.switchesIfIntact();
      if (present && sameListeners(present.pods, applied.pods)) return;
      await apply();
      repaired(present ? "switches" : "rules");
    },

    async counts() {
      if (applied === undefined) return;
      for (const event of packetsIn(await filter.counts())) {
        report.counted(event);
        dispatch(event);
        if (state().listeners.some((l) => sameListener(l.listener, event.listener) && l.lostReplies > 0))
          setTimeout(() => request("counts"), confirmAfterMs);
      }
    },

    async others() {
      const policy = await inputPolicyThatDrops(ruleSet.packetFilter, options.serviceIPs);
      if (policy?.mayAccept) warnOfOthers(policy.why);
      dispatch({ kind: "blocked", why: policy?.mayAccept ? undefined : policy?.why, at: performance.now() });
      const { removed } = await removeOthers(ruleSet, {
        serviceIPs: options.serviceIPs,
        keepWayPastCache,
        log,
        warn: warnOfOthers,
      });
      keepWayPastCache = false;
      if (removed) repaired("others");
    },
  };

  // Repairs by the first comparison are expected.
  function repaired(kind: RepairKind): void {
    report.repaired(kind, tried.has("rules"));
  }

  async function attempt(work: Work): Promise<void> {
    pending.delete(work);
    try {
      await works[work]();
      failures.delete(work);
    } catch (error) {
      failures.set(work, errorMessage(error));
      retrySoon(work);
    }
    tried.add(work);
    report.worked(work, failures);
  }

  // Retries once, however often it is requested and fails in the meantime.
  function retrySoon(work: Work): void {
    if (retrying.has(work)) return;
    retrying.add(work);
    setTimeout(() => {
      retrying.delete(work);
      request(work);
    }, retryAfterMs);
  }

  async function drain(): Promise<void> {
    working = true;
    if (pending.has("switches")) await sleep(gatherMs);
    for (const work of order.filter((one) => pending.has(one))) await attempt(work);
    working = false;
    if (pending.size > 0) await drain();
  }

  function request(...wanted: readonly Work[]): void {
    for (const work of wanted) pending.add(work);
    if (!working) drained = drain();
  }

  return {
    request,
    tried: (work) => tried.has(work),
    done: () => drained,
    notes: () => notes ?? noNotes,
    problem() {
      if (failures.size > 0) return [...failures.values()].join("; ");
      if (notes?.leftovers)
        return "node-setup could not remove the rules of an earlier installation, so pods may not get past a dead cache; fix the cause given in its log, then restart the cache's pod";
      return tried.has("rules") && tried.has("link") ? undefined : "link and rules have not been checked yet";
    },
  };
}

function sameListeners(a: readonly Listener[], b: readonly Listener[]): boolean {
  return a.length === b.length && a.every((listener) => includesListener(b, listener));
}
