import { configHashVariable, outsideServersVariable } from "../../model/node-programs";
import type { AgentConfig } from "../../model/agent-config/agent-config";
import { includesListener, type Switches } from "../../model/packet-rules/listener";
import { createArpSilence } from "../kernel/arp";
import { noNotes, withConfig, type LinkNotes } from "../../model/packet-rules/link-notes";
import { inputPolicyThatDrops } from "../kernel/input-policy";
import { inTurn } from "../kernel/in-turn";
import { listNftChains } from "../kernel/nft";
import { deleteLink, ensureLink, hasLink, writeNotes, type LinkRepairs } from "../kernel/link";
import { nodeRules, type NodeRules } from "../kernel/node-rules";
import { removeOthers, removeRules } from "../kernel/removal";
import { errorMessage } from "../errors";
import type { Logger } from "../log";
import { writeOutsideServers } from "./outside-servers";
import { refuseUnprobed } from "./refuse-unprobed";

/**
 * Sets up link, addresses and rules before the cache starts; running it again gives the same result. Rules come first:
 * until a socket listens they change nothing, whereas a link with the service IP but without rules would change the
 * source address of the host's queries.
 */
export async function nodeSetup(config: AgentConfig, log: Logger): Promise<void> {
  const startedAt = performance.now();
  const rules = nodeRules(config);
  const policy = await inputPolicyThatDrops(config.packetFilter, config.serviceIPs, await listNftChains());
  if (policy?.mayAccept === false) throw new Error(policy.why);
  if (policy) log.warn(policy.why);
  const to = process.env[outsideServersVariable];
  const nameservers = to === undefined ? [] : writeOutsideServers({ from: "/etc/resolv.conf", to }, config, log);

  const { link, addresses } = await inTurn(async () => {
    const present = await rules.filter.switches();
    const hadLink = await hasLink(config.linkName);
    return setUp(config, rules, present, nameservers, log).catch(async (error: unknown) => {
      // Nothing half-applied; but what an earlier run left is in use.
      if (present === undefined) await removeRules([]).catch((why: unknown) => log.warn(errorMessage(why)));
      if (!hadLink) await deleteLink(config.linkName).catch((why: unknown) => log.warn(errorMessage(why)));
      throw error;
    });
  });
  log.info(
    { milliseconds: Math.round(performance.now() - startedAt), linkCreated: link, addressesAdded: addresses },
    "node is set up",
  );
  await refuseUnprobed(process.env);
}

async function setUp(
  config: AgentConfig,
  rules: NodeRules,
  present: Switches | undefined,
  nameservers: LinkNotes["nameservers"],
  log: Logger,
): Promise<LinkRepairs> {
  await rules.filter.install(startingSwitches(config, rules, present));
  const warn = (message: string) => log.warn(message);
  const { serviceIPs } = config;
  const keepWayPastCache = config.interception === "service-ip";
  // Do not fail here: without a cache, node-cache's rules would send every query to a dead end. The watchdog reports
  // leftovers.
  const { left } = await removeOthers(rules.ruleSet, { serviceIPs, keepWayPastCache, log, warn });
  // After them: node-cache's rules would lead queries to an address that is taken off the link into the void.
  const repairs = await ensureLink(rules.ruleSet.link, serviceIPs);
  await createArpSilence(rules.ruleSet.link.addresses, warn)();
  await writeNotes(config.linkName, noteConfig({ ...(repairs.notes ?? noNotes), leftovers: left, nameservers }));
  return repairs;
}

function noteConfig(notes: LinkNotes): LinkNotes {
  const hash = process.env[configHashVariable];
  return hash === undefined ? notes : withConfig(notes, hash);
}

// If a watchdog has taken listeners out of use, they stay out. Otherwise all are on: the socket match holds queries
// back until a cache exists.
function startingSwitches(
  { watchdog }: AgentConfig,
  { ruleSet: { listeners } }: NodeRules,
  present: Switches | undefined,
): Switches {
  if (!watchdog || present === undefined) return { pods: listeners, host: [] };
  const among = (on: Switches["pods"]) => listeners.filter((listener) => includesListener(on, listener));
  return { pods: among(present.pods), host: among(present.host) };
}
