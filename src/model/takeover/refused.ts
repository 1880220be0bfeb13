import { argumentFault } from "../check/corefile-additions";
import type { WrittenBlock, WrittenCorefile, WrittenDirective } from "../corefile/corefile";
import { lineOf } from "../corefile/line";
import { pluginRule } from "../corefile/plugins";
import { nameOfKey, zonesOf } from "../corefile/server-key";
import { parseServer } from "../syntax/addresses";
import { own } from "../syntax/mapping";
import { blockName } from "./answers";
import { zoneText } from "./plugin-facts";

/** What two places say that one may say, and what a plugin does not take. CoreDNS runs on with the Corefile before. */
export function whyRefused(corefile: WrittenCorefile): string[] {
  const places = corefile.flatMap(placesOf);
  return [
    ...repeated(places).map((place) => `two server blocks for ${place}`),
    ...corefile.flatMap((block) =>
      repeated(block.plugins.map(({ name }) => name).filter((name) => pluginRule(name)?.once)).map(
        (name) => `${name} twice in ${blockName(block)}`,
      ),
    ),
    ...corefile.flatMap((block) =>
      block.plugins.flatMap((each) => faultOf(each) ?? []).map((fault) => `${fault}, in ${blockName(block)}`),
    ),
  ];
}

/** Undefined for a plugin of another image, and for a text with a variable, which may be anything. */
function faultOf(directive: WrittenDirective): string | undefined {
  const rule = pluginRule(directive.name);
  if (!rule || /\{[$%]/.test(lineOf(directive))) return undefined;
  // `hosts` passes over a line that is no entry.
  const isRead = ({ name }: WrittenDirective) => !rule.hasEntries || own(rule.options, name) || parseServer(name);
  return argumentFault(
    { ...directive, options: directive.options.filter((each) => each.name !== zoneText && isRead(each)) },
    rule,
  );
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
