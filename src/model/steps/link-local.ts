import { inDocs } from "../docs";
import type { InForce } from "./in-force";
import { type Step, warning } from "./step";

/** Running pods keep the link-local address as their nameserver: something must answer there until they are gone. */
export function leaveLinkLocal(before: InForce, after: InForce): Step | undefined {
  const lost = lostAddresses(before, after);
  if (lost.length === 0) return undefined;
  const addresses = lost.join(" and ");
  const leaves = `this leaves link-local. Running pods ask ${addresses} until they are replaced`;
  if (needsCache(after))
    return warning(
      "kubelets-first",
      `${leaves}. With packetFilter: iptables, nobody answers there while a node's cache is down. ${kubeletsFirst} (${inDocs("watchdog", "Leaving")})`,
    );
  if (before.agent?.state === "draining" && after.agent?.state === "removed") return undefined;
  if (before.agent?.state === "draining")
    return warning(
      "clean-nodes-first",
      `draining stops without a cleanup. Link and rules for ${addresses} stay on every node, and nothing maintains them. First set nodeLocalDNS.state: removed (${inDocs("watchdog", "Leaving")})`,
    );
  return before.agent
    ? warning(
        "drain-first",
        `${leaves}, and nothing will answer there. First set nodeLocalDNS.state: draining (${inDocs("watchdog", "Leaving")})`,
      )
    : warning(
        "kubelets-first",
        `${leaves}, and nothing will answer there. ${kubeletsFirst} (${inDocs("modes", "Without agentImage")})`,
      );
}

const kubeletsFirst = "First have kubelets name the DNS Service, and replace all pods";

/** Link-local addresses that running pods may ask, and where nothing answers any more. */
export function lostAddresses(before: InForce, after: InForce): string[] {
  const answered = new Set(answeredAddresses(after));
  return askedAddresses(before).filter((address) => !answered.has(address));
}

function askedAddresses({ agent, nodeCacheAddresses }: InForce): readonly string[] {
  if (agent) return agent.interception === "link-local" && agent.state !== "removed" ? agent.linkLocalIPs : [];
  return asksNodeCache({ nodeCacheAddresses }) ? nodeCacheAddresses : [];
}

/** Whether pods have upstream's node-cache as their only nameserver. With service-ip, it has the service IP too. */
export function asksNodeCache({ nodeCacheAddresses }: Pick<InForce, "nodeCacheAddresses">): boolean {
  return nodeCacheAddresses.length === 1;
}

/** Where a cache, or rules past it, answer on every node. A cleanup waits until no pod asks. */
function answeredAddresses(after: InForce): readonly string[] {
  const { agent, nodeCacheAddresses } = after;
  if (!agent || agent.state === "removed") return nodeCacheAddresses;
  return needsCache(after) ? [] : agent.linkLocalIPs;
}

/** Whether rules lead nobody past a cache that is down: those of service-ip for iptables know only the service IP. */
function needsCache({ agent }: InForce): boolean {
  return agent?.state === "enabled" && agent.interception === "service-ip" && agent.packetFilter === "iptables";
}
