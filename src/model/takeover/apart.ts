import { keysOf, type WrittenBlock, type WrittenCorefile } from "../corefile/corefile";
import { kubernetesZones } from "./plugin-facts";

/** Answers of `forward` and its loop check never come to a zone that `kubernetes` answers to the end. */
const outside: readonly string[] = ["forward", "loop"];

/**
 * A Corefile whose zones of other clusters (option `multicluster` of `kubernetes`) have blocks of their own, which answer
 * the same: ours may have such a block, and no other plugin `kubernetes` beside its own.
 */
export function withBlocksOfOtherClusters(corefile: WrittenCorefile): WrittenCorefile {
  return corefile.flatMap((block): WrittenBlock[] => {
    const plugin = block.plugins.find(({ name }) => name === "kubernetes");
    const others = plugin?.options.flatMap(({ name, args }) => (name === "multicluster" ? args : [])) ?? [];
    const own = plugin ? kubernetesZones(plugin, block.keys).filter((zone) => !others.includes(zone)) : [];
    if (!plugin || others.length === 0 || own.length === 0) return [block];
    const option = (...names: string[]) => plugin.options.filter(({ name }) => !names.includes(name));
    const rest = block.plugins.filter((each) => each !== plugin);
    return [
      { ...block, plugins: [...rest, { ...plugin, args: own, options: option("multicluster") }] },
      {
        keys: keysOf(others),
        plugins: [
          ...rest.filter(({ name }) => !outside.includes(name)),
          { ...plugin, args: others, options: option("fallthrough") },
        ],
      },
    ];
  });
}
