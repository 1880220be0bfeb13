import { corefileRules, noPlugin } from "../check/corefile-additions";
import type { Cluster } from "../cluster/cluster";
import { type AdditionPart, type Component, pluginsIn, readAdditions } from "../corefile/additions";
import type { Position, WrittenBlock, WrittenDirective } from "../corefile/corefile";
import { keysOf } from "../corefile/corefile";
import { pluginRule, zonesSaid } from "../corefile/plugins";
import { renderCorefile, renderDirectives } from "../corefile/render";
import { fillIn } from "../full-props/fill-in";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { CorefileAdditions } from "../props/corefile";
import { inZone } from "../syntax/names";
import type { Answers, Asked, AskedBlock } from "./answers";
import { isOtherwise, lostIn } from "./compare-answers";
import { isOperation, zoneText } from "./plugin-facts";
import { orElse } from "../syntax/or-else";

/** What a Corefile says and keys do not: text for `corefile`. */
export interface Unsaid {
  readonly clusterNames: readonly WrittenDirective[];
  readonly otherNames: readonly WrittenDirective[];
  readonly blocks: readonly WrittenBlock[];
}

export const nothing: Unsaid = { clusterNames: [], otherNames: [], blocks: [] };

/** Plugins that ours does not have there. @param ofCluster The zones of our block for the cluster's names. */
export function unsaidPlugins(
  part: "clusterNames" | "otherNames",
  theirs: Answers,
  ours: Asked,
  usual: readonly Asked[],
  ofCluster: readonly string[],
): readonly WrittenDirective[] {
  const isOfCluster = (zone: string) => ofCluster.some((each) => inZone(zone, each));
  const zones = [".", ...ofCluster, ...theirs.zones].filter((zone) => isOfCluster(zone) === (part === "clusterNames"));
  const lost = new Set(zones.flatMap((zone) => lostIn(zone, theirs, ours, usual)).map(({ directive }) => directive));
  return theirs.plugins[part].filter((each) => {
    // One that names zones is only where these are.
    const own = zonesSaid(each);
    const isHere = own.some((zone) => zone === "." || isOfCluster(zone) === (part === "clusterNames"));
    // Keys say who is asked; a block of ours has its own `forward`.
    return lost.has(each) && each.name !== "forward" && (own.length === 0 || isHere);
  });
}

/** Blocks that answer otherwise than ours. @param isElsewhere Whether a server is the cluster's own DNS. */
export function unsaidBlocks(
  theirs: Answers,
  ours: Asked,
  usual: readonly Asked[],
  isElsewhere: (server: string) => boolean,
): AskedBlock[] {
  return theirs.blocks.filter(({ block, zones, isForSome }) => {
    const servers = block.plugins.flatMap(({ name, args: [, ...to] }) => (name === "forward" ? to : []));
    // A zone of a file has a key, and text cannot have the file.
    const hasKey = block.plugins.some(({ options }) => options.some(({ name }) => name === zoneText));
    const isUnsaid = zones.some((zone) =>
      isOtherwise(zone, theirs, ours, usual, ({ plugin }) => !hasKey || !isOperation(plugin)),
    );
    return isForSome || (!servers.some(isElsewhere) && isUnsaid);
  });
}

/** A block as one of ours: without what blocks of ours have or may not have. */
export function asAddition(
  { block, zones, isForSome }: AskedBlock,
  theirs: Answers,
  ofCluster: readonly string[],
): WrittenBlock {
  // A view is for names of blocks that only ours has, too.
  const below = ofCluster.filter(
    (zone) => zones.some((each) => inZone(zone, each)) && !theirs.servedZones.includes(zone),
  );
  return {
    keys: keysOf([...zones, ...(isForSome ? below : [])]),
    plugins: block.plugins.filter(
      ({ name, options }) => pluginRule(name)?.whose !== "refused" && (name !== "errors" || options.length > 0),
    ),
  };
}

export interface Accepted {
  readonly corefile: CorefileAdditions;
  readonly unsaid: Unsaid;
  readonly refused: ReadonlyMap<WrittenDirective | WrittenBlock, string>;
}

/** A block that would lose a plugin that answers is left out. @param beside What is described without this text. */
export function accepted(
  component: Component,
  { props, cluster }: { readonly props: ClusterDnsProps; readonly cluster: Cluster },
  unsaid: Unsaid,
): Accepted {
  const refused = new Map<WrittenDirective | WrittenBlock, string>();
  const isCached = component === "authoritativeDNS" && cluster.components.nodeLocalDns !== undefined;
  let left = withoutBad(component, unsaid, refused, isCached);
  for (;;) {
    const corefile = besideGiven(textOf(left), props[component]?.corefile);
    const described = { ...props, [component]: { ...props[component], corefile } };
    const problems = corefileRules({ written: described, props: described, said: fillIn(described), cluster }).filter(
      ({ path }) => path[0] === component,
    );
    if (problems.length === 0 || left === nothing) return { corefile, unsaid: left, refused };
    const before = refused.size;
    const culprits = byPlace(left, corefile);
    for (const { path, within, message } of problems) {
      const culprit = culprits.get(placeIn(path[2] as AdditionPart, within));
      if (culprit) refused.set(culprit, message);
    }
    // Nothing to be left out: all of it is.
    left = refused.size === before ? nothing : without(left, refused);
  }
}

function textOf({ clusterNames, otherNames, blocks }: Unsaid): CorefileAdditions {
  return {
    ...(clusterNames.length > 0 && { clusterNames: renderDirectives(clusterNames) }),
    ...(otherNames.length > 0 && { otherNames: renderDirectives(otherNames) }),
    ...(blocks.length > 0 && { blocks: renderCorefile(blocks) }),
  };
}

/** Text of each part before what the part has already. */
function besideGiven(text: CorefileAdditions, given: CorefileAdditions = {}): CorefileAdditions {
  const parts = (["clusterNames", "otherNames", "blocks"] as const).flatMap((part) =>
    text[part] === undefined ? [] : [[part, text[part] + (given[part] ?? "")]],
  );
  return { ...given, ...Object.fromEntries(parts) };
}

/** Without what no check of a cluster file needs to see. */
function withoutBad(
  component: Component,
  unsaid: Unsaid,
  refused: Map<WrittenDirective | WrittenBlock, string>,
  isCached: boolean,
): Unsaid {
  for (const each of pluginsIn(unsaid)) {
    const secret = each.options.find(({ name }) => name === pluginRule(each.name)?.secret)?.name;
    if (each.name === "import") refused.set(each, unread);
    else if (!isPrinted(() => renderDirectives([each])))
      refused.set(each, pluginRule(each.name) ? unprintable : noPlugin(each.name, component));
    else if (secret !== undefined) refused.set(each, `${secret} is a secret, which a cluster file must not have`);
    else if (isCached && each.name !== "view" && pluginRule(each.name)?.asksWho)
      refused.set(
        each,
        "it goes by who asks, and would see the node cache: write it into nodeLocalDNS.corefile, or set nodeLocalDNS.state to disabled",
      );
  }
  for (const each of unsaid.blocks)
    if (!isPrinted(() => renderCorefile([{ ...each, plugins: [] }]))) refused.set(each, unprintable);
  return without(unsaid, refused);
}

const unread = "no ConfigMap among the objects has its files: compare them with the cluster file yourself";
const unprintable = "a cluster file cannot have its text: variables, lone braces, control characters, files";

function isPrinted(print: () => string): boolean {
  return orElse(print, undefined) !== undefined;
}

function without(
  { clusterNames, otherNames, blocks }: Unsaid,
  refused: Map<WrittenDirective | WrittenBlock, string>,
): Unsaid {
  const isLeft = (each: WrittenDirective | WrittenBlock) => !refused.has(each);
  const listed: WrittenDirective[] = [];
  const left = {
    clusterNames: clusterNames.filter(isLeft),
    otherNames: otherNames.filter(isLeft),
    blocks: blocks.filter(isLeft).flatMap((block) => {
      const lost = block.plugins.find((each) => !isLeft(each) && (!isOperation(each.name) || each.name === "view"));
      const plugins = block.plugins.filter(isLeft);
      if (lost) {
        refused.set(block, refused.get(lost) ?? "");
        listed.push(lost);
      }
      return lost ? [] : plugins.length === block.plugins.length ? [block] : [{ ...block, plugins }];
    }),
  };
  // Only now: several blocks may share one.
  for (const each of listed) refused.delete(each);
  return left;
}

/** Which plugin or block stands where in the text, which has them in the same order. */
function byPlace(unsaid: Unsaid, text: CorefileAdditions): ReadonlyMap<string, WrittenDirective | WrittenBlock> {
  const read = readAdditions(text);
  const pairs = (["clusterNames", "otherNames", "blocks"] as const).flatMap((part) =>
    unsaid[part].flatMap((each, i) => {
      const written = read[part][i];
      const inside = "keys" in each ? each.plugins.map((one, j) => [read.blocks[i]?.plugins[j]?.at, one] as const) : [];
      return [[written?.at, each] as const, ...inside].map(([at, one]) => [placeIn(part, at), one] as const);
    }),
  );
  return new Map(pairs);
}

function placeIn(part: AdditionPart, at?: Position): string {
  return `${part}:${at?.line}:${at?.column}`;
}
