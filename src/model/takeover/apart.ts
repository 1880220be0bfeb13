import { keysOf, type WrittenBlock, type WrittenCorefile } from "../corefile/corefile";
import { zonesSaid } from "../corefile/plugins";
import { kubernetesZones } from "./plugin-facts";

/**
 * A Corefile in which zones outside the cluster that need plugin `kubernetes` have blocks of their own, which answer the
 * same: those of other clusters (its option `multicluster`), and those of `k8s_external`. Ours may have such blocks, and
 * no other `kubernetes` beside its own.
 */
export function withBlocksOfOtherZones(corefile: WrittenCorefile): WrittenCorefile {
  return corefile.flatMap((block): WrittenBlock[] => {
    const kubernetes = block.plugins.find(({ name }) => name === "kubernetes");
    if (!kubernetes) return [block];
    const all = kubernetesZones(kubernetes, block.keys);
    const ofOthers = kubernetes.options.flatMap(({ name, args }) => (name === "multicluster" ? args : []));
    const own = all.filter((zone) => !ofOthers.includes(zone));
    const external = block.plugins.filter(({ name }) => name === "k8s_external");
    const isWhole = block.keys.some(({ zone }) => zone === ".");
    if (!isWhole || own.length === 0 || (ofOthers.length === 0 && external.length === 0)) return [block];
    const option = (left: string) => kubernetes.options.filter(({ name }) => name !== left);
    const rest = block.plugins.filter((each) => each !== kubernetes && !external.includes(each));
    const passesOn = external.some(({ options }) => options.some(({ name }) => name === "fallthrough"));
    // Without that, no name reaches them.
    const answering = rest.filter(({ name }) => name !== "loop" && (name !== "forward" || passesOn));
    const beside = (zones: readonly string[], plugins: WrittenBlock["plugins"]): WrittenBlock[] =>
      zones.length === 0 ? [] : [{ keys: keysOf(zones), plugins: [...answering, ...plugins] }];
    return [
      { ...block, plugins: [...rest, { ...kubernetes, args: own, options: option("multicluster") }] },
      ...beside(ofOthers, [{ ...kubernetes, args: ofOthers, options: option("fallthrough") }]),
      ...beside(external.flatMap(zonesSaid), [
        { ...kubernetes, args: own.slice(0, 1), options: option("multicluster") },
        ...external,
      ]),
    ];
  });
}
