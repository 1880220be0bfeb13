import type { Cluster } from "../cluster/cluster";
import { isMore, parseQuantity, type Quantity } from "../syntax/quantity";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { suggest } from "../syntax/suggest";
import { problem, when } from "./report";

const accepted = ["cpu", "memory", "ephemeral-storage"];

export function resourceRules(props: ClusterDnsProps, cluster: Cluster | undefined): Problem[] {
  const { authoritativeDns, nodeLocalDns } = cluster?.components ?? {};
  const components = [
    ["authoritativeDNS", authoritativeDns],
    ["nodeLocalDNS", nodeLocalDns],
  ] as const;
  return components.flatMap(([component, settings]) => {
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
      // With a limit below this, the kernel kills it as soon as its caches are full.
      ...when(
        isMore(settings?.memory.request, limits["memory"]),
        [component, "resources", "limits", "memory"],
        `${show(limits["memory"])} is less than it needs with full caches, ${settings?.memory.request}; raise it, or make the caches smaller`,
      ),
    ];
  });
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
