import type { WrittenBlock, WrittenCorefile } from "../corefile/corefile";
import { pluginRule } from "../corefile/plugins";
import { nameOfKey, zonesOf } from "../corefile/server-key";
import { blockName } from "./answers";

/** What two places say that one may say. CoreDNS runs on with the one before, until it is restarted. */
export function whyRefused(corefile: WrittenCorefile): string[] {
  const places = corefile.flatMap(placesOf);
  return [
    ...repeated(places).map((place) => `two server blocks for ${place}`),
    ...corefile.flatMap((block) =>
      repeated(block.plugins.map(({ name }) => name).filter((name) => pluginRule(name)?.once)).map(
        (name) => `${name} twice in ${blockName(block)}`,
      ),
    ),
  ];
}

/** What a block without a view has for itself: its zones, at its addresses. */
function placesOf({ keys, plugins }: WrittenBlock): string[] {
  if (plugins.some(({ name }) => name === "view")) return [];
  const at = plugins.filter(({ name }) => name === "bind").flatMap(({ args }) => args);
  return keys.flatMap((key) =>
    [...new Set(zonesOf(key.zone))].map((zone) => [nameOfKey({ ...key, zone }), ...at].join(" ")),
  );
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, i) => names.indexOf(name) < i))];
}
