import type { Corefile } from "../../../src/model/corefile/corefile";
import { lineOf } from "../../../src/model/corefile/line";

/** The server block of a zone, as text. */
export function blockOf(corefile: string, zone: string): string {
  const block = corefile.split(/(?<=^\}\n)/m).find((each) => each.trimStart().split(" ").includes(`${zone}:53`));
  if (block === undefined) throw new Error(`no block for ${zone}`);
  return block.trimStart();
}

/** A Corefile with a line for each directive, whatever options it has. */
export function inShort(corefile: Corefile): string {
  return corefile
    .map(({ keys, plugins }) => [keys.map(({ zone, port }) => `${zone}:${port}`).join(" "), ...plugins.map(lineOf)])
    .map((lines) => lines.join("\n  "))
    .join("\n");
}
