import { isMapping } from "../syntax/mapping";
import type { AppliedObject } from "./applied-object";

/**
 * What goes wrong if a step of leaving link-local interception is left out, and what to do instead: running pods keep
 * the address of the cache, and rules on every node must translate it until they are gone.
 */
export function leavingLinkLocal(before: readonly AppliedObject[], after: readonly AppliedObject[]): string[] {
  const old = agentConfig(before);
  const now = agentConfig(after);
  if (old?.["interception"] !== "link-local") return [];
  const addresses = [old["linkLocalIPs"]].flat().join(" and ");
  if (old["state"] === "enabled" && now?.["state"] !== "enabled" && now?.["state"] !== "draining")
    return [
      `leaves link-local without draining: running pods still ask ${addresses}, and nothing keeps the rules that answer there; set nodeLocalDNS.state: draining first (docs/watchdog.md, Leaving)`,
    ];
  if (old["state"] === "draining" && now === undefined)
    return [
      `stops draining without a cleanup: link and rules for ${addresses} stay on every node, with nothing that keeps them; set nodeLocalDNS.state: removed first (docs/watchdog.md, Leaving)`,
    ];
  return [];
}

/** What the programs on the nodes are told: a configuration that a DaemonSet refers to; older ones may still exist. */
function agentConfig(objects: readonly AppliedObject[]): { readonly [key: string]: unknown } | undefined {
  const used = JSON.stringify(objects.filter(({ kind }) => kind === "DaemonSet"));
  const configs = objects
    .filter(({ kind, metadata: { name } }) => kind === "ConfigMap" && used.includes(`"${name}"`))
    .map(({ data }) => parsed(data?.["config.json"]));
  return configs.find((config) => config?.["interception"] !== undefined);
}

function parsed(text: unknown): { readonly [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(String(text));
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
