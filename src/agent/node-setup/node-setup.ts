import { configHashVariable } from "../../model/node-programs";
import type { AgentConfig } from "../../model/agent-config/agent-config";
import { includesListener, type Switches } from "../../model/packet-rules/listener";
import { silenceArp } from "../kernel/arp";
import { noNotes, withConfig, type LinkNotes } from "../../model/packet-rules/link-notes";
import { inputPolicyThatDrops } from "../kernel/input-policy";
import { ensureLink, writeNotes } from "../kernel/link";
import { nodeRules, type NodeRules } from "../kernel/node-rules";
import { removeOthers } from "../kernel/removal";
import type { Logger } from "../log";

/**
 * Link, addresses and rules before the cache starts; again and again with the same result. Rules first: until a socket listens they
 * change nothing, whereas a link with the service IP and without rules would change the source of the host's queries.
 */
export async function nodeSetup(config: AgentConfig, log: Logger): Promise<void> {
  const startedAt = performance.now();
  const rules = nodeRules(config);
  const policy = await inputPolicyThatDrops(config.packetFilter);
  if (policy?.mayAccept === false) throw new Error(policy.why);
  if (policy) log.warn(policy.why);

  await rules.filter.install(await startingSwitches(config, rules));
  const { link, addresses, notes = noNotes } = await ensureLink(rules.ruleSet.link, config.serviceIPs);
  const warn = (message: string) => log.warn(message);
  await silenceArp(rules.ruleSet.link.addresses, warn);
  const keepWayPastCache = config.interception === "service-ip";
  // Not a reason to fail: without a cache, rules of node-cache would lead every query to nobody. The watchdog says that they are left.
  const { left } = await removeOthers(rules.ruleSet, { keepWayPastCache, log, warn });
  await writeNotes(config.linkName, noteConfig({ ...notes, leftovers: left }));
  log.info(
    { milliseconds: Math.round(performance.now() - startedAt), linkCreated: link, addressesAdded: addresses },
    "node is set up",
  );
}

function noteConfig(notes: LinkNotes): LinkNotes {
  const hash = process.env[configHashVariable];
  return hash === undefined ? notes : withConfig(notes, hash);
}

// A watchdog that has left a cache keeps it left. Otherwise on: the socket match holds queries back until there is a cache.
async function startingSwitches(
  { watchdog }: AgentConfig,
  { ruleSet: { listeners }, filter }: NodeRules,
): Promise<Switches> {
  const present = watchdog ? await filter.switches() : undefined;
  if (present === undefined) return { pods: listeners, host: [] };
  const among = (on: Switches["pods"]) => listeners.filter((listener) => includesListener(on, listener));
  return { pods: among(present.pods), host: among(present.host) };
}
