import { type Block, headOf, stateOf } from "../model/query-path/blocks";
import { lines } from "./print";

/** Paths of queries for a terminal. */
export function pathText(blocks: readonly Block[]): string {
  const width = Math.max(...blocks.flatMap(({ paths }) => paths.map((path) => stateOf(path).length)));
  return lines(
    blocks.flatMap((block) => [
      headOf(block),
      ...block.paths.flatMap((path) => [
        `  ${stateOf(path).padEnd(width)}${path.hops.map(({ text }) => ` -> ${text}`).join("")}`.replace(
          /^ {3,}->/,
          "  ->",
        ),
        ...(path.lostUntil ? [`  ${"".padEnd(width)}    lost until ${path.lostUntil}`] : []),
      ]),
    ]),
  );
}
