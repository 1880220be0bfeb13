import { ruleInput, type AgentConfig } from "../../model/agent-config/agent-config";
import { includesListener, type Switches } from "../../model/packet-rules/listener";
import { packetRules } from "../../model/packet-rules/packet-rules";
import type { RuleSet } from "../../model/packet-rules/rule-set";
import type { PacketFilterDriver } from "../kernel/driver";
import { inputPolicyThatDrops } from "../kernel/input-policy";
import { ensureLink } from "../kernel/link";
import { packetFilter } from "../kernel/packet-filter";
import { removeOthers } from "../kernel/takeover";
import type { Logger } from "../log";

/**
 * Link, addresses and rules before the cache starts; again and again with the same result. Rules first: until a socket listens they
 * lead nowhere but where they led before, whereas a link with the service IP and without rules would change what the host's queries come from.
 */
export async function nodeSetup(config: AgentConfig, log: Logger): Promise<void> {
  if (config.state === "removed")
    throw new Error("state is removed: there is nothing to set up; `agent cleanup` takes away what is there");
  const started = performance.now();
  const blocked = await inputPolicyThatDrops(config.packetFilter);
  if (blocked !== undefined) throw new Error(blocked);

  const ruleSet = packetRules(ruleInput(config));
  const filter = packetFilter(ruleSet, config.thresholds.hostTimeout);
  await filter.install(await startingSwitches(config, ruleSet, filter));
  const { link, addresses } = await ensureLink(ruleSet.link, config.serviceIPs);
  await removeOthers(ruleSet, log);
  log.info(
    { milliseconds: Math.round(performance.now() - started), linkCreated: link, addressesAdded: addresses },
    "node is set up",
  );
}

// A watchdog that has left a cache keeps it left. Otherwise on: the socket match holds queries back until there is a cache.
async function startingSwitches(config: AgentConfig, ruleSet: RuleSet, filter: PacketFilterDriver): Promise<Switches> {
  const present = config.watchdog ? await filter.switches() : undefined;
  if (present === undefined) return { pods: ruleSet.listeners, host: [] };
  const among = (listeners: Switches["pods"]) =>
    ruleSet.listeners.filter((listener) => includesListener(listeners, listener));
  return { pods: among(present.pods), host: among(present.host) };
}
