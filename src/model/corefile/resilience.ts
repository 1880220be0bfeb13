import type { ResilienceOptions } from "../props/resilience";
import { plugin, type Corefile, type ServerBlock } from "./corefile";
import { isForOurselves } from "./search-path";

/** What a server does while there are many errors, or too many queries. */
export type ServerResilience = Pick<Required<ResilienceOptions>, "consolidateErrors" | "shed">;

/** Blocks on one socket must agree on `shed`, which only plain DNS may have (plugin/shed). */
export function withResilience(corefile: Corefile, resilience: ServerResilience | undefined): Corefile {
  if (!resilience) return corefile;
  const { consolidateErrors, shed } = resilience;
  return corefile.map((block) => {
    const summed = consolidateErrors === false ? block : withSummedErrors(block, consolidateErrors);
    return shed && isPlain(block) ? { ...summed, plugins: [...summed.plugins, plugin("shed")] } : summed;
  });
}

function isPlain(block: ServerBlock): boolean {
  return (
    !isForOurselves(block) &&
    block.keys.every(({ transport }) => transport === "dns") &&
    block.plugins.every(({ name }) => name !== "shed")
  );
}

/** Of `forward`, by how they end or begin, without what is asked (plugin/errors); the last are all others. */
const kinds = ["i/o timeout$", "connection refused$", "^concurrent queries exceeded maximum", ".*"];

/** Unless somebody has said how it logs. */
function withSummedErrors(block: ServerBlock, during: string): ServerBlock {
  const options = kinds.map((kind) => plugin("consolidate", [during, kind, "error", "show_first"]));
  return {
    ...block,
    plugins: block.plugins.map((each) =>
      each.name === "errors" && each.options.length === 0 ? { ...each, options } : each,
    ),
  };
}
