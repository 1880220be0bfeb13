import type { ClusterNode } from "../../../rig/cluster/node";
import { until } from "../../../rig/until";
import { ledToCache, metric } from "./programs";

/**
 * What a node has once it has booted, in no particular order, each with the seconds since a moment when it was seen.
 * @param since Milliseconds since the epoch.
 */
export async function bootOf(node: ClusterNode, since: number) {
  const seen = async (what: string, probe: () => Promise<boolean>) => {
    await until(`${what} on ${node.name}`, 150, probe, 200);
    return secondsSince(since);
  };
  const succeeds = async (...argv: string[]) => (await node.attempt(argv)).code === 0;
  const listens = async () => (await node.exec(["ss", "-Hlnu", "src", "169.254.20.10:53"])) !== "";
  const [proxy, agent, socket, inUse] = await Promise.all([
    seen("kube-proxy's rules", () => hasProxyRules(node)),
    seen("the agent's rules", () => succeeds("nft", "list", "table", "inet", "node-local-dns")),
    seen("the cache's socket", listens),
    ledToCache(node).then(() => secondsSince(since)),
  ]);
  return {
    "kube-proxy's rules": proxy,
    "the agent's rules": agent,
    "the cache's socket": socket,
    "all listeners in use": inUse,
  };
}

export async function hasProxyRules(node: ClusterNode): Promise<boolean> {
  return (await metric(node, "kubeProxy", /^kubeproxy_sync_proxy_rules_last_timestamp_seconds/)) > 0;
}

export function secondsSince(moment: number): number {
  return Math.round((Date.now() - moment) / 100) / 10;
}

/** In the order in which they came. */
export function inOrder(seconds: Readonly<Record<string, number>>): string {
  return Object.entries(seconds)
    .toSorted(([, one], [, other]) => one - other)
    .map(([what, when]) => `${what} ${when} s`)
    .join(", ");
}
