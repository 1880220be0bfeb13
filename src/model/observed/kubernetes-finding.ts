import type { ServerKey, WrittenDirective } from "../corefile/corefile";
import { defaults } from "../defaults";
import { wholeNumber, written } from "./directive";
import { type Found, unlessDefault } from "./finding";
import { zonesOf } from "../corefile/server-key";

/**
 * Plugin `kubernetes` of a block with these keys. A cluster DNS that its owner keeps, keeps its options; but zones other
 * than the cluster domain would be asked elsewhere.
 */
export function fromKubernetes(directive: WrittenDirective, keys: readonly ServerKey[], isKept: boolean): Found {
  const { options } = directive;
  const said = new Map(options.map(({ name, args }) => [name, args[0]]));
  // CoreDNS's own defaults (plugin/kubernetes/kubernetes.go).
  const ttl = wholeNumber(said.get("ttl")) ?? 5;
  const pods = said.get("pods") ?? "disabled";
  const zones = kubernetesZones(directive, keys);
  const [domain, ...more] = zones.filter((zone) => zone !== "." && !isReverse(zone));
  const rest = [...zones.filter((zone) => zone === "."), ...more];
  const isFinal = zones.some(isReverse) && !said.has("fallthrough");
  return {
    findings: [
      ...unlessDefault("clusterDomain", domain, defaults.cluster.clusterDomain),
      ...unlessDefault("authoritativeDNS.ttl", ttl, defaults.authoritativeDNS.ttl),
      ...unlessDefault("authoritativeDNS.pods", pods, defaults.authoritativeDNS.pods),
    ],
    unsaid: [
      ...rest.map((zone) => `zone ${zone}`),
      ...(isKept ? [] : otherOptions(options)),
      ...(isKept || !isFinal ? [] : [`no fallthrough; ours: ${fallthrough}`]),
    ].map((what) => `kubernetes: ${what}`),
  };
}

/** Without any, those of its server block (plugin/kubernetes/setup.go). */
export function kubernetesZones({ args }: WrittenDirective, keys: readonly ServerKey[]): string[] {
  return [...new Set((args.length > 0 ? args : keys.map(({ zone }) => zone)).flatMap(zonesOf))];
}

const reverse = ["in-addr.arpa", "ip6.arpa"];
const fallthrough = ["fallthrough", ...reverse].join(" ");

function isReverse(zone: string): boolean {
  return reverse.some((each) => zone === each || zone.endsWith(`.${each}`));
}

/** Reverse names that ours answers, and CoreDNS does not, whose `kubernetes` plugins have these zones. */
export function missingReverse(zones: readonly string[]): string[] {
  if (zones.includes(".") || reverse.every((zone) => zones.includes(zone))) return [];
  const [first, second, ...more] = zones.filter(isReverse);
  const has = [first, second, ...(more.length > 1 ? [`and ${more.length} more`] : more)].filter(Boolean).join(" ");
  return [
    `kubernetes: ${has ? `of reverse names, only ${has}` : "no reverse names"}, while ours answers ${reverse.join(" ")}`,
  ];
}

function otherOptions(options: readonly WrittenDirective[]): string[] {
  return options
    .filter((option) => option.name !== "ttl" && option.name !== "pods" && !isOurFallthrough(option))
    .map((option) => (option.name === "fallthrough" ? `${written(option)}; ours: ${fallthrough}` : written(option)));
}

function isOurFallthrough({ name, args }: WrittenDirective): boolean {
  return name === "fallthrough" && args.flatMap(zonesOf).toSorted().join(" ") === reverse.join(" ");
}
