import type { Memory } from "../size/memory";
import { isMore, parseQuantity } from "../syntax/quantity";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { suggest } from "../syntax/suggest";
import { about, type Given } from "./report";
import { valuesOf } from "./values-of";

const accepted = ["cpu", "memory", "ephemeral-storage"];

export function resourceRules({ props, cluster }: Given): Problem[] {
  const { authoritativeDns, nodeLocalDns } = cluster?.components ?? {};
  return [
    ...valuesOf("Resources", props).flatMap(({ path, value: { requests = {}, limits = {} } }) => [
      ...quantityProblems([...path, "requests"], requests),
      ...quantityProblems([...path, "limits"], limits),
      ...Object.keys(requests).flatMap((name) =>
        about([...path, "requests", name]).when(
          isMore(requests[name], limits[name]),
          `${show(requests[name])} is more than its limit, ${show(limits[name])}`,
        ),
      ),
    ]),
    ...memoryProblems("authoritativeDNS", props, authoritativeDns),
    ...memoryProblems("nodeLocalDNS", props, nodeLocalDns),
  ];
}

/** With a limit below this, the kernel kills CoreDNS as soon as its caches are full. */
function memoryProblems(
  component: "authoritativeDNS" | "nodeLocalDNS",
  props: ClusterDnsProps,
  settings: { readonly memory: Memory } | undefined,
): Problem[] {
  const limit = props[component]?.resources?.limits?.["memory"];
  return about([component, "resources", "limits", "memory"]).when(
    isMore(settings?.memory.request, limit),
    `${show(limit)} is less than it needs with full caches, ${settings?.memory.request}; raise it, or make the caches smaller`,
  );
}

function quantityProblems(path: Problem["path"], quantities: { readonly [name: string]: string | number }): Problem[] {
  return Object.entries(quantities).flatMap(([name, text]) => {
    const at = [...path, name];
    if (!accepted.includes(name))
      return about(at).say(`unknown resource${suggest(name, accepted)}; accepted: ${accepted.join(", ")}`);
    const quantity = parseQuantity(text);
    if (!quantity) return about(at).say(`${show(text)} is not a quantity; accepted: 100m, 0.5, 70Mi, 1G ...`);
    return about(at).when(
      quantity.nanos % (name === "cpu" ? 1_000_000n : 1_000_000_000n) !== 0n,
      `${show(text)} is too fine; ${name === "cpu" ? "steps of 1m" : "whole bytes"} accepted`,
    );
  });
}
