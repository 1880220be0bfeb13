import { zoneOwner } from "../cluster/zone-owners";
import type { FullProps } from "../full-props/fill-in";
import { features } from "../kubernetes-version";
import { canonicalName, inZone } from "../syntax/names";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { addressFault } from "./outside-names";
import { about, type Given } from "./report";
import { readRule } from "./rewrites";
import { needsVersion } from "./versions";

export function resilienceRules({ said }: Given): Problem[] {
  const { resilience, authoritativeDNS } = said;
  if (typeof resilience !== "object") return [];
  const { staleNames, preferPositive, pinnedNames = [], apiPriority } = resilience;
  const isExisting = authoritativeDNS.kind === "Existing";
  const isAnswered = whetherAnswered(said);
  return [
    ...about(["resilience", "preferPositive"]).when(
      staleNames === false && preferPositive !== undefined,
      "has no effect with staleNames: false; leave it out",
    ),
    ...pinnedNames.flatMap((name, i) =>
      about(["resilience", "pinnedNames", i]).say(pinnedFault(said, isAnswered, name, pinnedNames.slice(0, i))),
    ),
    ...about(["resilience", "apiPriority"]).when(
      isExisting && apiPriority !== undefined,
      "has no effect with authoritativeDNS.kind: Existing, whose CoreDNS is not this project's; leave it out",
    ),
    ...(apiPriority && !isExisting
      ? needsVersion(said, ["resilience", "apiPriority"], "a FlowSchema", features.flowControl)
      : []),
  ];
}

function pinnedFault(
  { clusterDomain }: FullProps,
  isAnswered: (name: string) => boolean,
  name: string,
  before: readonly string[],
): string | undefined {
  if (inZone(name, clusterDomain))
    return `${show(name)} is a name of the cluster; leave it out: staleClusterNames keeps all of those`;
  if (isAnswered(name))
    return `${show(name)} is answered by the cluster DNS, as rewrites or zones say; leave it out: staleClusterNames keeps it`;
  const isAgain = before.map(canonicalName).includes(canonicalName(name));
  return isAgain ? `${show(name)} is there twice` : addressFault(name);
}

/** Whether the cluster DNS answers a name outside from what it knows: the first rule that has it decides, or its zone. */
function whetherAnswered(said: FullProps): (name: string) => boolean {
  const ownerOf = zoneOwner(said);
  const whole = said.rewrites.every(({ from, to }) => from !== undefined && to !== undefined);
  const rules = whole ? said.rewrites.map((each) => readRule(each, said.clusterDomain)) : [];
  return (name) => {
    const rule = ownerOf(name)?.isApart ? undefined : rules.find(({ isFor }) => isFor(name));
    return ownerOf(rule ? rule.to.replace(/^\./, "") : name)?.asksOutside === false;
  };
}
