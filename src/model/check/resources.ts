import type { Component } from "../corefile/additions";
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
      ...Object.entries({ requests, limits }).flatMap(([kind, quantities]) =>
        Object.entries(quantities).flatMap(([name, text]) =>
          about([...path, kind, name]).say(quantityFault(name, text)),
        ),
      ),
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
  component: Component,
  props: ClusterDnsProps,
  settings: { readonly memory: Memory } | undefined,
): Problem[] {
  const limit = props[component]?.resources?.limits?.["memory"];
  return about([component, "resources", "limits", "memory"]).when(
    isMore(settings?.memory.request, limit),
    `${show(limit)} is less than it needs with full caches, ${settings?.memory.request}; raise it, or make the caches smaller`,
  );
}

function quantityFault(name: string, text: string | number): string | undefined {
  if (!accepted.includes(name)) return `unknown resource${suggest(name, accepted)}; accepted: ${accepted.join(", ")}`;
  const quantity = parseQuantity(text);
  if (!quantity) return `${show(text)} is not a quantity; accepted: 100m, 0.5, 70Mi, 1G ...`;
  const [step, inWords] = name === "cpu" ? [1_000_000n, "steps of 1m"] : [1_000_000_000n, "whole bytes"];
  return quantity.nanos % step === 0n ? undefined : `${show(text)} is too fine; ${inWords} accepted`;
}
