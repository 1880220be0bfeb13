import { defaults, withDefaults } from "../defaults";
import type { CorefileAdditions } from "../props/corefile";
import { zonesSaid } from "./compare";
import type { Corefile, Directive, ServerBlock, WrittenCorefile, WrittenDirective } from "./corefile";
import { lineOf } from "./line";
import { CorefileError, parseCorefile, parseDirectives } from "./parse";
import { pluginRule } from "./plugins";
import { zonesOf } from "./server-key";

/** Which part of the additions, by key. */
export type AdditionPart = "clusterNames" | "otherNames" | "blocks";

/** Additions as values; what cannot be read is missing. */
export interface ReadAdditions {
  readonly clusterNames: readonly WrittenDirective[];
  readonly otherNames: readonly WrittenDirective[];
  readonly blocks: WrittenCorefile;
  readonly errors: { readonly [part in AdditionPart]?: CorefileError };
  /** Of an image of one's own. */
  readonly plugins: readonly string[];
}

export function readAdditions(given: CorefileAdditions): ReadAdditions {
  const { clusterNames = "", otherNames = "", blocks = "", plugins: own } = withDefaults(given, defaults.corefile);
  const errors: { [part in AdditionPart]?: CorefileError } = {};
  const read = <Value>(part: AdditionPart, parse: () => readonly Value[]): readonly Value[] => {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof CorefileError)) throw error;
      errors[part] = error;
      return [];
    }
  };
  return {
    clusterNames: read("clusterNames", () => parseDirectives(clusterNames)),
    otherNames: read("otherNames", () => parseDirectives(otherNames)),
    blocks: read("blocks", () => parseCorefile(blocks)),
    errors,
    plugins: own,
  };
}

/**
 * A Corefile with additions in its blocks, and behind them.
 * @param first The first plugins of each block of ours, but for errors.
 */
export function withAdditions(
  corefile: Corefile,
  given: CorefileAdditions | undefined,
  domain: string,
  first: readonly Directive[],
): Corefile {
  if (!given) return corefile;
  const { clusterNames, otherNames, blocks } = readAdditions(given);
  return [
    ...corefile.map((block) => {
      if (isOf(block, domain)) return merged(block, clusterNames);
      return isOf(block, ".") ? merged(block, otherNames) : block;
    }),
    ...blocks.map((block) =>
      merged({ ...block, plugins: [{ name: "errors", args: [], options: [] }, ...first] }, block.plugins),
    ),
  ];
}

/** Whether a block of ours is for the names of a zone; a port of its own is for ourselves. */
export function isOf({ keys }: ServerBlock, zone: string): boolean {
  return keys.some((key) => key.zone === zone && key.port === 53);
}

function merged(block: ServerBlock, additions: readonly Directive[]): ServerBlock {
  const said = new Set(block.plugins.map(lineOf));
  const further = additions.filter((each) => !said.has(lineOf(each)));
  const replaced = (name: string) => pluginRule(name)?.replaces && further.some((each) => each.name === name);
  return { ...block, plugins: [...block.plugins.filter(({ name }) => !replaced(name)), ...further] };
}

/**
 * The zones that additions to CoreDNS answer in their way, beside the cluster's; undefined in the list: any name. What
 * the cache has as well, it need not ask.
 */
export function zonesOfAdditions(
  given: CorefileAdditions = {},
  ofCache: CorefileAdditions = {},
): (string | undefined)[] {
  const { otherNames, blocks, plugins: own } = readAdditions(given);
  const same = readAdditions(ofCache);
  const known = new Set([...same.otherNames, ...same.blocks].map((each) => JSON.stringify(withoutPlaces(each))));
  const isNew = (each: object) => !known.has(JSON.stringify(withoutPlaces(each)));
  return [
    ...otherNames.filter(isNew).flatMap((each) => {
      const mayAnswer = own.includes(each.name) || pluginRule(each.name)?.answersFrom !== undefined;
      const zones = zonesSaid(each);
      return !mayAnswer ? [] : zones.length > 0 && !zones.includes(".") ? zones : [undefined];
    }),
    ...blocks.filter(isNew).flatMap(({ keys }) => keys.flatMap(({ zone }) => zonesOf(zone))),
  ];
}

function withoutPlaces(value: object): unknown {
  return JSON.parse(JSON.stringify(value, (key, each: unknown) => (key === "at" ? undefined : each)));
}
