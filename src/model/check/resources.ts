import { cacheMemory } from "../cluster/cache-memory";
import type { Cluster } from "../cluster/cluster";
import { cachesOf } from "../cluster/node-local-dns";
import { parseQuantity, type Quantity } from "../syntax/quantity";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { suggest } from "../syntax/suggest";
import { problem, when } from "./report";

const accepted = ["cpu", "memory", "ephemeral-storage"];

export function resourceRules(props: ClusterDnsProps, cluster: Cluster | undefined): Problem[] {
  const components = (["authoritativeDNS", "nodeLocalDNS"] as const).flatMap((component) => {
    const { requests = {}, limits = {} } = props[component]?.resources ?? {};
    return [
      ...quantityProblems([component, "resources", "requests"], requests),
      ...quantityProblems([component, "resources", "limits"], limits),
      ...Object.keys(requests).flatMap((name) =>
        when(
          isMore(requests[name], limits[name]),
          [component, "resources", "requests", name],
          `${show(requests[name])} is more than its limit, ${show(limits[name])}`,
        ),
      ),
    ];
  });
  return [...components, ...cacheLimitProblems(cluster)];
}

/** With a limit that the cache outgrows, the kernel kills it as soon as it is full. */
function cacheLimitProblems(cluster: Cluster | undefined): Problem[] {
  const cache = cluster?.components.nodeLocalDns;
  if (!cache) return [];
  const limit = cache.resources.limits?.["memory"];
  const needed = cacheMemory(cachesOf(cache.names));
  return when(
    isMore(needed, limit),
    ["nodeLocalDNS", "resources", "limits", "memory"],
    `${show(limit)} is less than the cache needs when it is full, ${needed}; raise it, or make the cache smaller`,
  );
}

function quantityProblems(path: string[], quantities: { readonly [name: string]: string | number }): Problem[] {
  return Object.entries(quantities).flatMap(([name, text]) => {
    const at = [...path, name];
    if (!accepted.includes(name))
      return [problem(at, `unknown resource${suggest(name, accepted)}; accepted: ${accepted.join(", ")}`)];
    const quantity = parseQuantity(text);
    if (!quantity) return [problem(at, `${show(text)} is not a quantity; accepted: 100m, 0.5, 70Mi, 1G ...`)];
    return when(
      !isWhole(name, quantity),
      at,
      `${show(text)} is too fine; ${name === "cpu" ? "steps of 1m" : "whole bytes"} accepted`,
    );
  });
}

function isWhole(name: string, { nanos }: Quantity): boolean {
  return nanos % (name === "cpu" ? 1_000_000n : 1_000_000_000n) === 0n;
}

function isMore(request: string | number | undefined, limit: string | number | undefined): boolean {
  const [a, b] = [request, limit].map((text) => (text === undefined ? undefined : parseQuantity(text)));
  return a !== undefined && b !== undefined && a.nanos > b.nanos;
}
