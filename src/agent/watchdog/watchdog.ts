import type { AgentConfig } from "../../model/agent-config/agent-config";
import type { Thresholds } from "../../model/agent-config/thresholds";
import { probeAddress } from "../../model/query-path/link-addresses";
import type { Listener } from "../../model/packet-rules/listener";
import { familyOf, type Family } from "../../model/syntax/addresses";
import { nameserverFault, noNameserver, ownAddresses } from "../../model/query-path/nameservers";
import { errorMessage } from "../errors";
import { nodeRules } from "../kernel/node-rules";
import type { Logger } from "../log";
import { KernelWorker } from "./kernel-worker";
import { Reporting } from "./reporting";
import { flipped, initialState, next, wantedSwitches, type WatchdogEvent, type WatchdogState } from "./state";

/** What the watchdog's parts share: events update the state, and the state has effects on the kernel and the report. */
export interface Watchdog {
  readonly config: AgentConfig;
  readonly thresholds: Thresholds;
  readonly listeners: readonly Listener[];
  /** The source addresses of queries, which are on our link while the node is set up. */
  readonly sources: ReadonlyMap<Family | undefined, string>;
  dispatch(event: WatchdogEvent): void;
  state(): WatchdogState;
  readonly kernel: KernelWorker;
  readonly report: Reporting;
}

export async function createWatchdog(config: AgentConfig, log: Logger): Promise<Watchdog> {
  const rules = nodeRules(config);
  const { thresholds } = config;
  const { filter, ruleSet } = rules;
  const { listeners } = ruleSet;
  const sources = new Map(config.linkLocalIPs.map((address) => [familyOf(address), probeAddress(address)]));
  const report = new Reporting(log);
  const present = await filter.switches().catch((error: unknown) => report.complain(errorMessage(error)));

  let current = initialState(listeners, present ?? { pods: [], host: [] }, thresholds);
  const state = () => current;

  function dispatch(event: WatchdogEvent): void {
    const before = current;
    current = next(before, event, thresholds);
    const [was, is] = [wantedSwitches(before), wantedSwitches(current)];
    const turned =
      flipped(before, current).length > 0 || was.pods.length !== is.pods.length || was.host.length !== is.host.length;
    if (turned) kernel.request("switches");
    const told = (key: "blocked" | "clusterDNS" | "stopping") => before[key] !== current[key];
    if (turned || told("blocked") || told("clusterDNS") || told("stopping")) report.changed(before, current);
  }

  const rulesInstalled = present !== undefined;
  const { serviceIPs, interception } = config;
  const keepWayPastCache = interception === "service-ip";
  const kernel = new KernelWorker({
    rules,
    serviceIPs,
    keepWayPastCache,
    rulesInstalled,
    unusable: unusableIn(config),
    log,
    report,
    state,
    dispatch,
  });
  return { config, thresholds, listeners, sources, dispatch, state, kernel, report };
}

function unusableIn({ serviceIPs, linkLocalIPs, resolvConf: file = "" }: AgentConfig) {
  const own = ownAddresses(serviceIPs, linkLocalIPs);
  return (nameserver: string) => ({ nameserver, file, fault: nameserverFault(nameserver, own) ?? noNameserver });
}
