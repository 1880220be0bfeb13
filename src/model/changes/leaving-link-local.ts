import { inDocs } from "../docs";
import type { KubernetesObject } from "../kubernetes/object";
import { names } from "../object-names";
import { isMapping } from "../syntax/mapping";
import { configsInUse } from "./configs-in-use";
import { staysIfGone } from "./pruning";

/**
 * What goes wrong if a step of leaving link-local interception is left out, and what to do instead: running pods keep
 * the address of the cache, and something on every node must answer there until they are gone.
 */
export function leavingLinkLocal(before: readonly KubernetesObject[], after: readonly KubernetesObject[]): string[] {
  const answered = new Set(answeredAddresses(after));
  const lost = askedAddresses(before).filter((address) => !answered.has(address));
  if (lost.length === 0 || staysIfGone(names.nodeLocalDns, before, after)) return [];
  const addresses = lost.join(" and ");
  const state = agentConfig(before)?.["state"];
  if (needsCache(agentConfig(after)))
    return [
      `leaves link-local: running pods still ask ${addresses}, where with packetFilter: iptables nobody answers while a node's cache is down; first have kubelets name the DNS Service, and restart all pods (${inDocs("watchdog", "Leaving")})`,
    ];
  if (state === "draining" && agentConfig(after)?.["state"] === "removed") return [];
  if (state === "draining")
    return [
      `stops draining without a cleanup: link and rules for ${addresses} stay on every node, with nothing that keeps them; set nodeLocalDNS.state: removed first (${inDocs("watchdog", "Leaving")})`,
    ];
  const first =
    state === undefined
      ? `first have kubelets name the DNS Service, and restart all pods (${inDocs("modes", "Without agentImage")})`
      : `set nodeLocalDNS.state: draining first (${inDocs("watchdog", "Leaving")})`;
  return [`leaves link-local: running pods still ask ${addresses}, where nothing will answer; ${first}`];
}

/** Link-local addresses that running pods may have as their nameserver. */
function askedAddresses(objects: readonly KubernetesObject[]): string[] {
  const config = agentConfig(objects);
  if (config)
    return config["interception"] === "link-local" && config["state"] !== "removed" ? linkLocalIPs(config) : [];
  // With service-ip, it has the service IP as well, which is what pods ask.
  const addresses = nodeCacheAddresses(objects);
  return addresses.length === 1 ? addresses : [];
}

/** Link-local addresses at which a cache, or rules past it, answer on every node. */
function answeredAddresses(objects: readonly KubernetesObject[]): string[] {
  const config = agentConfig(objects);
  // `removed` waits until no pod asks.
  const ends = config?.["state"] === "removed" || config?.["state"] === "disabled";
  if (config && needsCache(config)) return [];
  return config && !ends ? linkLocalIPs(config) : nodeCacheAddresses(objects);
}

/** Whether the rules lead nobody past a cache that is down: those of service-ip for iptables know the service IP alone. */
function needsCache(config: ReturnType<typeof agentConfig>): boolean {
  return (
    config?.["state"] === "enabled" && config["interception"] === "service-ip" && config["packetFilter"] === "iptables"
  );
}

function linkLocalIPs(config: { readonly [key: string]: unknown }): string[] {
  return [config["linkLocalIPs"]].flat().map(String);
}

/** What node-cache puts on the link that it makes. */
export function nodeCacheAddresses(objects: readonly KubernetesObject[]): string[] {
  const programs = JSON.stringify(objects.filter(isDaemonSet));
  const [, addresses] = /"-localip","([^"]+)"/.exec(programs) ?? [];
  return programs.includes('"-setupinterface=false"') ? [] : (addresses?.split(",") ?? []);
}

function isDaemonSet({ kind }: KubernetesObject): boolean {
  return kind === "DaemonSet";
}

/** What the programs on the nodes are told. */
function agentConfig(objects: readonly KubernetesObject[]): { readonly [key: string]: unknown } | undefined {
  return configsInUse(objects, "config.json")
    .map(parsed)
    .find((config) => config?.["interception"] !== undefined);
}

function parsed(text: string): { readonly [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
