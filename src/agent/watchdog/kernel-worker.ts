import { setTimeout as sleep } from "node:timers/promises";
import { sameListener, sameListeners, type Switches } from "../../model/packet-rules/listener";
import { familyOf } from "../../model/syntax/addresses";
import { errorMessage } from "../errors";
import { createArpSilence } from "../kernel/arp";
import { inTurn } from "../kernel/in-turn";
import { inputPolicyThatDrops } from "../kernel/input-policy";
import { noNotes, type LinkNotes } from "../../model/packet-rules/link-notes";
import { ensureLink } from "../kernel/link";
import { listNftChains } from "../kernel/nft";
import type { NodeRules } from "../kernel/node-rules";
import { unfitSettings } from "../kernel/settings";
import { removeOthers } from "../kernel/removal";
import { rateLimited, type Logger } from "../log";
import { createCounting } from "./counting";
import type { Reporting } from "./reporting";
import { wantedSwitches, type WatchdogEvent, type WatchdogState } from "./state";
import type { RepairKind, Work } from "./work";

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

/** Does everything that happens in the kernel, one thing at a time. */
export class KernelWorker {
  private readonly packetsIn;
  // Without NET_RAW it can never read iptables-legacy, so do not repeat the warning.
  private readonly warnOfOthers;
  private readonly silenceArp;
  private readonly pending = new Set<Work>();
  private readonly attempted = new Set<Work>();
  private readonly failures = new Map<Work, string>();
  private readonly retrying = new Set<Work>();
  private hasSeenLink = false;
  private working = false;
  private drained = Promise.resolve();
  /** Undefined until our rules have been written once. */
  private applied: Switches | undefined;
  /** Whether somebody else may have turned the switches since. */
  private isUnsure = false;
  private rulesInstalled;
  /** As last read; a recreated link gets them again. */
  private lastNotes: LinkNotes | undefined;
  // Addresses of another mode are removed once, at the start: an address that appears later comes from a node-setup
  // that is ahead of us in a rollout, and its cache could not start without it.
  private unwanted;
  // The cache may be replaced after us, but before the next check.
  private keepWayPastCache;
  private readonly works: { readonly [work in Work]: () => Promise<void> } = {
    switches: () => this.turnSwitches(),
    link: () => this.ensureLink(),
    rules: () => this.ensureRules(),
    counts: () => this.readCounts(),
    others: () => this.lookAtOthers(),
  };

  constructor(private readonly options: KernelWorkerOptions) {
    this.packetsIn = createCounting(options.rules.ruleSet.listeners);
    this.warnOfOthers = rateLimited(options.log, "warn", 86_400_000);
    const { addresses } = options.rules.ruleSet.link;
    this.silenceArp = createArpSilence(addresses, rateLimited(options.log, "warn", 86_400_000));
    this.rulesInstalled = options.rulesInstalled;
    this.unwanted = options.serviceIPs;
    this.keepWayPastCache = options.keepWayPastCache;
  }

  /** Requests a piece of work; requesting it again before it has begun changes nothing. */
  request(...wanted: readonly Work[]): void {
    for (const work of wanted) this.pending.add(work);
    if (!this.working) this.drained = this.drain();
  }

  /** Requests what follows from a change of the link. */
  linkChanged(): void {
    // The last thing that node-setup does is a note on the link. It may have read a switch that was turned before it wrote.
    this.isUnsure = true;
    this.request("switches", "link");
  }

  /** Whether a piece of work has been tried, successfully or not. */
  tried(work: Work): boolean {
    return this.attempted.has(work);
  }

  /** Resolves when everything requested has been tried. */
  done(): Promise<void> {
    return this.drained;
  }

  /** What node-setup wrote on the link. */
  notes(): LinkNotes {
    return this.lastNotes ?? noNotes;
  }

  /** Why link and rules may not be as they should; undefined if they are. */
  problem(): string | undefined {
    if (this.failures.size > 0) return [...this.failures.values()].join("; ");
    if (this.lastNotes?.leftovers)
      return "node-setup could not remove the rules of an earlier installation, so pods may not get past a dead cache; fix the cause given in its log, then restart the cache's pod";
    return this.tried("rules") && this.tried("link") ? undefined : "link and rules have not been checked yet";
  }

  private async turnSwitches(): Promise<void> {
    if (this.applied === undefined) return this.inTurn("switches", () => this.apply());
    const { filter } = this.options.rules;
    const { applied, isUnsure } = this;
    this.applied = undefined;
    this.isUnsure = false;
    const from = isUnsure ? await filter.switches() : applied;
    const wanted = wantedSwitches(this.options.state());
    if (from) await filter.turnSwitches(from, wanted);
    // Rules that are missing are other work.
    this.applied = from ? wanted : applied;
  }

  private async apply(): Promise<void> {
    const wanted = wantedSwitches(this.options.state());
    this.applied = undefined;
    await this.options.rules.filter.install(wanted);
    this.applied = wanted;
    await this.silenceArp();
    if (!this.rulesInstalled) this.pending.add("link");
    this.rulesInstalled = true;
  }

  private async ensureLink(): Promise<void> {
    // A link without rules would only give the node's own queries a source address that gets no answers.
    if (this.rulesInstalled) await this.inTurn("link", () => this.repairLink());
  }

  private async repairLink(): Promise<void> {
    const { rules, report, unusable } = this.options;
    const { link, addresses, notes } = await ensureLink(rules.ruleSet.link, this.unwanted, this.lastNotes);
    this.unwanted = [];
    report.settings(unfitSettings(new Set(rules.ruleSet.link.addresses.map(familyOf))));
    this.lastNotes = notes;
    report.leftovers(notes?.leftovers ?? false);
    report.nameservers((notes?.nameservers ?? []).map(unusable));
    // On a new node the watchdog may be there before the cache's pod: its first look makes the link, and mends nothing.
    if (this.hasSeenLink && link) this.repaired("link");
    else if (this.hasSeenLink && addresses.length > 0) this.repaired("address");
    this.hasSeenLink = true;
  }

  private async ensureRules(): Promise<void> {
    const before = this.applied;
    const present = before && (await this.options.rules.filter.switchesIfIntact());
    if (present && sameListeners(present.pods, before.pods)) return;
    await this.inTurn("rules", async () => {
      await this.apply();
      if (before) this.repaired(present ? "switches" : "rules");
    });
  }

  /** Whoever writes may take seconds: once there are switches to turn, they are turned first. */
  private inTurn(work: Work, write: () => Promise<void>): Promise<void> {
    const isHeldUp = () => this.applied !== undefined && this.pending.has("switches");
    return inTurn(async () => (isHeldUp() ? void this.pending.add(work) : write()), isHeldUp);
  }

  private async readCounts(): Promise<void> {
    if (this.applied === undefined) return;
    const { rules, report, dispatch, state } = this.options;
    for (const event of this.packetsIn(await rules.filter.counts())) {
      report.counted(event);
      dispatch(event);
      if (state().listeners.some((l) => sameListener(l.listener, event.listener) && l.lostReplies > 0))
        setTimeout(() => this.request("counts"), confirmAfterMs);
    }
  }

  private async lookAtOthers(): Promise<void> {
    const { rules, serviceIPs, dispatch, log } = this.options;
    await this.silenceArp();
    const nftChains = await listNftChains();
    const policy = await inputPolicyThatDrops(rules.ruleSet.packetFilter, serviceIPs, nftChains);
    if (policy?.mayAccept) this.warnOfOthers(policy.why);
    dispatch({ kind: "blocked", why: policy?.mayAccept ? undefined : policy?.why, at: performance.now() });
    const { keepWayPastCache, warnOfOthers: warn } = this;
    const { removed } = await removeOthers(rules.ruleSet, { serviceIPs, keepWayPastCache, nftChains, log, warn });
    this.keepWayPastCache = false;
    if (removed) this.repaired("others");
  }

  /** Repairs by the first comparison are expected. */
  private repaired(kind: RepairKind): void {
    this.options.report.repaired(kind, this.tried("rules"));
  }

  private async attempt(work: Work): Promise<void> {
    this.pending.delete(work);
    try {
      await this.works[work]();
      // Put off for a switch, or asked for again: it follows.
      if (this.pending.has(work)) return;
      this.failures.delete(work);
    } catch (error) {
      this.failures.set(work, errorMessage(error));
      this.retrySoon(work);
    }
    this.attempted.add(work);
    this.options.report.worked(work, this.failures);
  }

  /** Retries once, however often it is requested and fails in the meantime. */
  private retrySoon(work: Work): void {
    if (this.retrying.has(work)) return;
    this.retrying.add(work);
    setTimeout(() => {
      this.retrying.delete(work);
      this.request(work);
    }, retryAfterMs);
  }

  private async drain(): Promise<void> {
    this.working = true;
    if (this.pending.has("switches")) await sleep(gatherMs);
    for (const work of order.filter((one) => this.pending.has(one))) await this.attempt(work);
    this.working = false;
    if (this.pending.size > 0) await this.drain();
  }
}
