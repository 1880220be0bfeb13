import type { Corefile, Directive } from "../../../src/model/corefile/corefile";
import { inZone } from "../../../src/model/syntax/names";

/** The plugins that see names of a zone over UDP: of several `forward`, the one that is asked. */
export function seenBy(corefile: Corefile, zone: string): Directive[] {
  const keyed = corefile.flatMap((block) => block.keys.map((key) => ({ block, zone: key.zone })));
  const [longest] = keyed.filter((each) => inZone(zone, each.zone)).toSorted((a, b) => b.zone.length - a.zone.length);
  const directives = longest?.block.plugins ?? [];
  const asked = directives.find(({ name, args }) => name === "forward" && inZone(zone, String(args[0])));
  return directives.filter((each) => each.name !== "forward" || each === asked);
}
