import type { CorefileAdditions } from "../props/corefile";
import type { Corefile, Directive, ServerBlock, WrittenDirective } from "./corefile";
import { lineOf } from "./line";
import { CorefileError, parseCorefile, parseDirectives } from "./parse";
import { pluginRule, zonesSaid } from "./plugins";
import { nameOfKey, zonesIn } from "./server-key";

export const components = ["authoritativeDNS", "nodeLocalDNS"] as const;
export type Component = (typeof components)[number];

export type AdditionPart = "clusterNames" | "otherNames" | "blocks";

type ReadAdditions = ReturnType<typeof readAdditions>;

/** Additions as values; what cannot be read is missing. */
export function readAdditions(given: CorefileAdditions | undefined) {
  const { clusterNames = "", otherNames = "", blocks = "", plugins: own = [] } = given ?? {};
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
    /** Of an image of one's own. */
    plugins: own,
  };
}

export function pluginsIn({ clusterNames, otherNames, blocks }: Pick<ReadAdditions, AdditionPart>): WrittenDirective[] {
  return [...clusterNames, ...otherNames, ...blocks.flatMap(({ plugins }) => plugins)];
}

/**
 * A Corefile with additions in its blocks and beside them. CoreDNS takes the first block of a zone whose view fits, and one
 * without a view fits always: those with a view come first.
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
  const own = blocks.map((block) =>
    merged({ ...block, plugins: [{ name: "errors", args: [], options: [] }, ...first] }, block.plugins),
  );
  return [
    ...own.filter(hasView),
    ...corefile.map((block) => {
      if (isOf(block, domain)) return merged(block, clusterNames);
      return isOf(block, ".") ? merged(block, otherNames) : block;
    }),
    ...own.filter((block) => !hasView(block)),
  ];
}

export function hasView({ plugins }: ServerBlock): boolean {
  return plugins.some(({ name }) => name === "view");
}

/** Zones that additions answer for everybody, in blocks of their own. */
export function zonesOfBlocks(
  given: CorefileAdditions | undefined,
  isMeant: (block: ServerBlock) => boolean = () => true,
): string[] {
  return readAdditions(given)
    .blocks.filter((block) => !hasView(block) && isMeant(block))
    .flatMap(zonesIn);
}

/** Whether it has names of a cluster, and asks no other servers. */
export function isOfServices({ plugins }: ServerBlock): boolean {
  const asks = plugins.some(({ name }) => pluginRule(name)?.asksServers);
  return plugins.some(({ name }) => name === "kubernetes") && !asks;
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

/** An addition that may answer names in its own way. */
export interface AnsweringAddition {
  readonly part: AdditionPart;
  /** A plugin, or the zones of a block. */
  readonly what: string;
  readonly plugins: readonly string[];
  /** Undefined among them: any name. */
  readonly zones: readonly (string | undefined)[];
}

/** `nodeLocalDNS.corefile.blocks (a.example)`. */
export function inCorefile(component: Component, { part, what }: AnsweringAddition): string {
  return `${component}.corefile.${part} (${what})`;
}

/** What one server may answer by its additions, and another, which has not the same, does not. */
export function answeredAlone(given?: CorefileAdditions, other?: CorefileAdditions): AnsweringAddition[] {
  const [read, same] = [readAdditions(given), readAdditions(other)];
  const isNew = (part: AdditionPart) => {
    const known = new Set(same[part].map(withoutPlaces));
    return (each: object) => !known.has(withoutPlaces(each));
  };
  const ofPlugins = (part: "clusterNames" | "otherNames") =>
    read[part]
      .filter(isNew(part))
      .filter(({ name }) => read.plugins.includes(name) || pluginRule(name)?.answersFrom !== undefined)
      .map((each) => ({ part, what: each.name, plugins: [each.name], zones: orAny(zonesSaid(each)) }));
  return [
    ...ofPlugins("clusterNames"),
    ...ofPlugins("otherNames"),
    ...read.blocks.filter(isNew("blocks")).map((block) => ({
      part: "blocks" as const,
      what: block.keys.map(nameOfKey).join(" "),
      plugins: block.plugins.map(({ name }) => name),
      zones: orAny(zonesIn(block)),
    })),
  ];
}

function orAny(zones: readonly string[]): readonly (string | undefined)[] {
  return zones.length > 0 && !zones.includes(".") ? zones : [undefined];
}

function withoutPlaces(value: object): string {
  return JSON.stringify(value, (key, each: unknown) => (key === "at" ? undefined : each));
}
