import type { WrittenBlock, WrittenCorefile, WrittenDirective } from "../corefile/corefile";
import { pluginRule, zonesSaid } from "../corefile/plugins";
import { zonesIn, zonesOf } from "../corefile/server-key";
import { inZone, reverseZones } from "../syntax/names";
import { rewriteRule } from "./rewrite-rules";
import { fallsThrough, isReverse, kubernetesZones } from "./plugin-facts";

/**
 * A Corefile in which zones outside the cluster's domain that need plugin `kubernetes` have blocks of their own, which
 * answer the same: further domains, those of other clusters (its option `multicluster`), and those of `k8s_external`.
 * Ours may have such blocks, and no other `kubernetes` beside its own.
 * @param usual The cluster's domain, where something else than the Corefile shows it.
 */
export function withBlocksOfOtherZones(corefile: WrittenCorefile, usual?: string): WrittenCorefile {
  return corefile.flatMap((block): WrittenBlock[] => {
    const kubernetes = block.plugins.find(({ name }) => name === "kubernetes");
    if (!kubernetes) return [block];
    const all = kubernetesZones(kubernetes, block.keys);
    const isAsked = (zone: string) => zonesIn(block).some((each) => inZone(zone, each));
    const ofOthers = kubernetes.options
      .flatMap(({ name, args }) => (name === "multicluster" ? args.flatMap(zonesOf) : []))
      .filter(isAsked);
    const domains = all.filter((zone) => !ofOthers.includes(zone) && !isReverse(zone));
    const [domain = ""] = domains.filter((zone) => zone === usual).concat(domains);
    const further = domains.filter((zone) => zone !== domain && isAsked(zone));
    const own = all.filter((zone) => !ofOthers.includes(zone) && !further.includes(zone));
    const external = block.plugins.filter((each) => each.name === "k8s_external" && zonesSaid(each).some(isAsked));
    const ofExternal = external.flatMap(zonesSaid);
    const apart = [...ofOthers, ...further, ...ofExternal];
    if (own.length === 0 || apart.length === 0) return [block];
    const option = (left: string) => kubernetes.options.filter(({ name }) => name !== left);
    const isOfBlock = ({ name }: WrittenDirective) => name !== "loop" && pluginRule(name)?.whose !== "refused";
    const rest = block.plugins.filter((each) => each !== kubernetes && !external.includes(each));
    const beside = (
      zones: readonly string[],
      plugins: WrittenBlock["plugins"],
      passing: WrittenBlock["plugins"],
    ): WrittenBlock[] => {
      const passesOn = zones.some((zone) => passing.some(({ options }) => fallsThrough(options, zone)));
      // Without that, no name reaches a `forward`.
      const answering = rest.filter((each) => isOfBlock(each) && (each.name !== "forward" || passesOn));
      // A rewritten name may be of another zone.
      const answeringAll = rest.some((each) => mayRewrite(each, zones))
        ? block.plugins.filter(isOfBlock)
        : [...answering, ...plugins];
      const keys = block.keys
        .slice(0, 1)
        .flatMap((key) => zones.flatMap((zone) => (isOurs(zone) ? [] : { ...key, zone })));
      return keys.length === 0 ? [] : [{ keys, plugins: answeringAll }];
    };
    return [
      {
        ...block,
        keys: block.keys.filter(({ zone }) => !zonesOf(zone).some((each) => apart.includes(each))),
        plugins: [...rest, { ...kubernetes, args: own, options: option("multicluster") }],
      },
      ...beside(further, [{ ...kubernetes, args: further, options: option("multicluster") }], [kubernetes]),
      ...beside(ofOthers, [{ ...kubernetes, args: ofOthers, options: option("fallthrough") }], []),
      ...beside(
        ofExternal,
        [
          { ...kubernetes, args: [domain, ...ofExternal.filter(isReverse)], options: option("multicluster") },
          ...external,
        ],
        external,
      ),
    ];
  });
}

/** Whether it may ask for names of these zones as others. */
function mayRewrite(directive: WrittenDirective, zones: readonly string[]): boolean {
  const { match, from = "" } = rewriteRule(directive) ?? {};
  if (match === "exact") return zones.some((zone) => inZone(from, zone));
  if (match === "suffix") return zones.some((zone) => zone.endsWith(from) || from.endsWith(zone));
  return directive.name === "rewrite" && directive.args.includes("name");
}

/** Whether a block of ours has its names, and no other may. */
function isOurs(zone: string): boolean {
  return reverseZones.some((each) => each === zone);
}

/** The domain that names of addresses end in: the first of the `kubernetes` that has the cluster's. */
export function domainOfAddresses(corefile: WrittenCorefile, domain: string): string | undefined {
  const all = corefile.flatMap(({ keys, plugins }) =>
    plugins.filter(({ name }) => name === "kubernetes").map((each) => kubernetesZones(each, keys)),
  );
  return all.find((zones) => zones.includes(domain))?.find((zone) => !isReverse(zone));
}
