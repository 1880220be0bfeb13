import type { ServerKey, WrittenBlock, WrittenCorefile, WrittenDirective } from "../corefile/corefile";
import { nameOfKey, zonesIn, zonesOf } from "../corefile/server-key";
import type { Rewrite } from "../props/special-names";
import { behindIn, forwardFor, othersFor, type Parts, partsOf, zonesOfForwards } from "./block-parts";
import { rewriteRule, textOfRule } from "./rewrite-rules";
import { isReverse, kubernetesZones, saidOf, wholeNumber, zoneText } from "./plugin-facts";
import { lineOf } from "../corefile/line";
import { zonesSaid } from "../corefile/plugins";
import { grouped } from "../syntax/grouped";
import { canonicalName, upwards } from "../syntax/names";
import { dense } from "../syntax/sparse";

/** Something that a Corefile says of the names of a zone. */
export interface Fact {
  readonly plugin: string;
  readonly option: string;
  readonly value: string;
  /** The Corefile, and a server block that is not the main one. */
  readonly where: string;
  /** The zones of its server block, if `where` names them. */
  readonly namedZones: readonly string[];
  /** What says it. */
  readonly directive: WrittenDirective;
}

type Place = Pick<Fact, "where" | "namedZones">;

/** What pods get of whom they ask. */
export type Asked = Pick<Answers, "facts" | "zones">;

/** A server block that pods ask. */
export interface AskedBlock {
  readonly block: WrittenBlock;
  readonly zones: readonly string[];
  /** Whether a `view` keeps it for some clients. */
  readonly isForSome: boolean;
}

/** What a DNS server says, as pods see it. */
export interface Answers {
  /** Names the Corefile. */
  readonly source: string;
  /** As it is written. */
  readonly corefile: WrittenCorefile;
  /** The one that pods' queries come to. */
  readonly port: number;
  /** The cluster's domain; undefined if no plugin `kubernetes` answers everybody. */
  readonly domain: string | undefined;
  /** Every zone that it answers in its own way. */
  readonly zones: readonly string[];
  /** Those of server blocks, and of `forward` for them alone. */
  readonly servedZones: readonly string[];
  /** What it says of a zone's names. */
  readonly facts: (zone: string) => readonly Fact[];
  /** Names that are asked as others, of the blocks for the cluster's names and for all others. */
  readonly rewrites: readonly Rewrite[];
  /** Plugins of the server blocks of the cluster's names and of all others, which may be one block. */
  readonly plugins: { readonly [part in "clusterNames" | "otherNames"]: readonly WrittenDirective[] };
  /** Server blocks beside these. */
  readonly blocks: readonly AskedBlock[];
  /** Server blocks that no pod asks. */
  readonly besides: readonly WrittenBlock[];
  /** Each `forward` behind another one that has its names, and where it is. */
  readonly behind: readonly (Place & { readonly forward: WrittenDirective; readonly first: WrittenDirective })[];
  /** Each rule whose names become those of another server block, which a `rewrite` does not ask, and that one's zone. */
  readonly led: readonly { readonly rule: WrittenDirective; readonly zone: string }[];
}

/**
 * @param source Names the Corefile.
 * @param usual The cluster's domain, where something else than the Corefile shows it.
 */
export function answersOf(source: string, corefile: WrittenCorefile, usual?: string): Answers {
  const all = corefile.flatMap(entriesOf);
  const general = all.filter(({ isForSome }) => !isForSome);
  const domains = new Map(corefile.map((block) => [block, domainsOf(block)]));
  const ofKubernetes = general.filter(({ block }) => domains.get(block)?.[0] !== undefined);
  const cluster =
    ofKubernetes.find(({ block }) => domains.get(block)?.includes(usual ?? "")) ??
    ofKubernetes[0] ??
    general.find(({ zone }) => zone === usual);
  const { port } = cluster ?? general.find(({ zone }) => zone === ".") ?? { port: 53 };
  const asked = new Set(general.filter((entry) => entry.transport === "dns" && entry.port === port));
  const forSome = all.filter((entry) => entry.isForSome && entry.transport === "dns" && entry.port === port);
  const byZone = new Map<string, Entry>();
  for (const entry of asked) if (!byZone.has(entry.zone)) byZone.set(entry.zone, entry);
  // The block of the nearest zone.
  const serving = (zone: string) => byZone.get(upwards(zone).find((each) => byZone.has(each)) ?? "");
  const parts = new Map([...new Set([...asked].map(({ block }) => block))].map((block) => [block, partsOf(block)]));
  const ofBlocks = new Set([cluster?.block, byZone.get(".")?.block]);
  const whereIs = (block: WrittenBlock) => placeIn(source, ofBlocks.has(block) ? undefined : block);
  const known = new Map<string, readonly Fact[]>();
  const facts = (zone: string): readonly Fact[] => {
    const { block } = serving(zone) ?? {};
    const ofBlock = block && parts.get(block);
    const isLeft = (each: string) => serving(each)?.block === block && ofBlock && !forwardFor(each, ofBlock);
    const said = known.get(zone) ?? (ofBlock ? factsOf(zone, block, ofBlock, whereIs(block), isLeft) : []);
    known.set(zone, said);
    return said;
  };
  const conditional = [...parts].flatMap(([block, ofBlock]) =>
    zonesOfForwards(ofBlock).filter((zone) => zone !== "." && serving(zone)?.block === block),
  );
  const ofPlugins = [...parts.keys()].flatMap((block) => [
    ...allKubernetesZones(block),
    ...block.plugins.flatMap((each) => [...zonesSaid(each), ...uncachedZones(each)]),
  ]);
  const rules = [...ofBlocks]
    .flatMap((block) => block?.plugins ?? [])
    .flatMap((each) => (each.name === "rewrite" ? (rewriteRule(each) ?? []) : []));
  const servedZones = [...new Set([...byZone.keys(), ...conditional])];
  return {
    source,
    corefile,
    port,
    domain: cluster && (domainsOf(cluster.block).find((zone) => zone === usual) ?? domainsOf(cluster.block)[0]),
    zones: [...new Set([...servedZones, ...ofPlugins])],
    servedZones,
    facts,
    rewrites: [...new Map(rules.map((rule) => [textOfRule(rule), rule])).values()],
    plugins: { clusterNames: cluster?.block.plugins ?? [], otherNames: byZone.get(".")?.block.plugins ?? [] },
    blocks: [
      ...askedBlocks(parts.keys(), [...byZone.values()], false),
      ...askedBlocks(new Set(forSome.map(({ block }) => block)), forSome, true),
    ].filter(({ block }) => !ofBlocks.has(block)),
    besides: all
      .filter((entry) => !asked.has(entry) && !forSome.includes(entry))
      .map(({ block, zone, port: of, transport }) => ({ ...block, keys: [{ zone, port: of, transport }] })),
    behind: [...parts].flatMap(([block, of]) => behindIn(of).map((each) => ({ ...each, ...whereIs(block) }))),
    led: dense([...ofBlocks]).flatMap((block) => rulesLed(block, serving)),
  };
}

function rulesLed({ plugins }: WrittenBlock, serving: (zone: string) => Entry | undefined): Answers["led"] {
  return plugins.flatMap((rule) => {
    const { to = "" } = (rule.name === "rewrite" && rewriteRule(rule)) || {};
    // Behind the parts that are filled in.
    const other = serving(canonicalName(to.replace(/^.*\}/, "").replace(/^\./, "")));
    return to !== "" && other && !other.block.plugins.includes(rule) ? { rule, zone: other.zone } : [];
  });
}

function placeIn(source: string, block: WrittenBlock | undefined): Place {
  return { where: block ? `${source}: ${blockName(block)}` : source, namedZones: block ? zonesIn(block) : [] };
}

/** @param isLeft Whether nothing answers a zone that a `forward` excepts; what others answer is said of their zones. */
function factsOf(
  zone: string,
  block: WrittenBlock,
  parts: Parts,
  place: Place,
  isLeft: (zone: string) => unknown,
): Fact[] {
  const facts = dense([othersFor(zone, parts), forwardFor(zone, parts)]).flatMap(({ directive }) =>
    saidOf(directive, zone, block.keys).map(([option, value]) => {
      return { plugin: directive.name, option, value, directive, ...place };
    }),
  );
  const [kept] = facts.flatMap(({ plugin, option, value }) =>
    plugin === "cache" && option === "success ttl" ? (wholeNumber(value.split(" ")[0]) ?? []) : [],
  );
  // The cache keeps no answer of `kubernetes` longer than others.
  const isCut = ({ plugin, option, value }: Fact) =>
    plugin === "kubernetes" && option === "ttl" && kept !== undefined && kept > 0 && kept < Number(value);
  // It cuts short only the walk of names that `kubernetes` has.
  const isIdle = ({ plugin, value }: Fact) =>
    plugin === "autopath" && value === "@kubernetes" && !facts.some((each) => each.plugin === "kubernetes");
  return facts.flatMap((fact): Fact | Fact[] => {
    if (isIdle(fact)) return [];
    if (isCut(fact)) return { ...fact, value: String(kept) };
    if (fact.option !== "except") return fact;
    const value = fact.value.split(" ").filter((each) => zonesOf(each).some(isLeft));
    return value.length > 0 ? { ...fact, value: value.join(" ") } : [];
  });
}

/** Zones of which a cache keeps nothing, or nothing of a kind. */
function uncachedZones({ name, options }: WrittenDirective): string[] {
  const disabled = name === "cache" ? options.filter((option) => option.name === "disable") : [];
  return disabled.flatMap(({ args: [, ...zones] }) => zones.flatMap(zonesOf));
}

function askedBlocks(blocks: Iterable<WrittenBlock>, all: readonly Entry[], isForSome: boolean): AskedBlock[] {
  const entries = new Map(grouped(all, ({ block }) => block));
  return [...blocks].map((block) => ({ block, zones: (entries.get(block) ?? []).map(({ zone }) => zone), isForSome }));
}

/** What pods get that ask a cache, which asks the cluster DNS for some names, or that ask the cluster DNS itself. */
export function chained(cache: Answers | undefined, dns: Answers, isCluster: (server: string) => boolean): Asked {
  if (!cache) return dns;
  return {
    zones: [...new Set([...cache.zones, ...dns.zones])],
    facts: (zone) => {
      const own = cache.facts(zone);
      const to = own.find(({ plugin, option }) => plugin === "forward" && option === "to")?.value ?? "";
      if (to === "" || !to.split(" ").every(isCluster)) return own;
      const ownPlugins = own.filter(({ plugin }) => plugin !== "forward" && plugin !== "cache");
      return [...ownPlugins, ...dns.facts(zone)];
    },
  };
}

/** A server block under one of its keys. */
interface Entry extends ServerKey {
  readonly block: WrittenBlock;
  /** Whether a `view` keeps it for some clients. Ours has one for answers over UDP, which all clients may get. */
  readonly isForSome: boolean;
}

function entriesOf(block: WrittenBlock): Entry[] {
  const views = block.plugins.filter(({ name }) => name === "view");
  const isForSome = views.some(({ options }) => options[0]?.args.join(" ") !== "proto() == 'udp'");
  return block.keys.flatMap((key) => zonesOf(key.zone).map((zone) => ({ ...key, zone, block, isForSome })));
}

export function blockName({ keys }: WrittenBlock): string {
  return `server block ${keys.map(nameOfKey).join(" ")}`;
}

export function blockLine(block: WrittenBlock): string {
  const written = block.plugins.map((each) => ({
    ...each,
    options: each.options.filter(({ name }) => each.name !== "file" || name !== zoneText),
  }));
  return lineOf({ name: blockName(block), args: [], options: written });
}

function allKubernetesZones({ keys, plugins }: WrittenBlock): string[] {
  return plugins.filter(({ name }) => name === "kubernetes").flatMap((each) => kubernetesZones(each, keys));
}

function domainsOf(block: WrittenBlock): string[] {
  return allKubernetesZones(block).filter((zone) => !isReverse(zone));
}
