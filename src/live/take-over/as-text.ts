import { type Part } from "../../config/beside-defaults";
import { valueAt } from "../../config/origin";
import { overlay } from "../../config/overlay";
import { isOurs } from "../../model/object-names";
import type { ClusterDnsProps } from "../../model/props/cluster-dns";
import { isMapping } from "../../model/syntax/mapping";
import { reverseZones } from "../../model/syntax/names";
import type { Answers } from "../../model/takeover/answers";
import { answersThen } from "../../model/takeover/then";
import {
  accepted,
  type Accepted,
  asAddition,
  nothing,
  type Unsaid,
  unsaidBlocks,
  unsaidPlugins,
} from "../../model/takeover/unsaid";
import { usualAnswers } from "../../model/takeover/usual";
import { type Evidence, needed, type Kept, type Today } from "./evidence";
import { renderable } from "./propose";

/** A description with Corefile text, and why some of theirs is not in it. */
export interface WithText {
  readonly description: Part;
  readonly refused: Accepted["refused"];
  /** Blocks with a view that only CoreDNS has, and not the node cache, which hides from it who asks. */
  readonly unseen: Accepted["refused"];
}

type Component = "authoritativeDNS" | "nodeLocalDNS";

/** What of theirs is not as in ours. */
type Choose = (ours: Answers, usual: ReturnType<typeof usualAnswers>, ofCluster: readonly string[]) => Partial<Unsaid>;

/**
 * A description with what no key of it says, as Corefile text: for CoreDNS unless its owner keeps it, and for a node cache
 * that is there.
 */
export function withText(
  description: Part,
  shared: Part,
  { workloads }: Evidence,
  { isKept }: Kept,
  today: Today,
): WithText {
  const { dns, cache, isCluster } = today;
  const before: WithText = { description, refused: new Map(), unseen: new Map() };
  const all = (from: WithText, component: Component, choices: readonly Choose[]) =>
    choices.reduce((each, choose) => add(each, shared, component, choose), from);
  const isRead = !isKept && today.sources.length > 0;
  // Blocks of ours are of keys that are not read back, such as tenants.
  const isOwn = workloads.slice(0, 1).some(isOurs);
  const choices = choicesFor(dns, () => false).slice(0, isOwn ? -1 : undefined);
  const ofDns = isRead ? all(before, "authoritativeDNS", choices) : before;
  const views: Choose = (_ours, _usual, ofCluster) => ({ blocks: viewsOf(dns, ofCluster) });
  const ofViews = isRead && !isOwn ? add({ ...ofDns, refused: new Map() }, shared, "nodeLocalDNS", views) : ofDns;
  const seen = { ...ofViews, refused: ofDns.refused, unseen: ofViews.refused };
  return cache ? all(seen, "nodeLocalDNS", choicesFor(cache, isCluster)) : seen;
}

/** Plugins first, because which blocks answer otherwise depends on them; blocks last. */
function choicesFor(theirs: Answers, isElsewhere: (server: string) => boolean): Choose[] {
  const plugins =
    (part: "clusterNames" | "otherNames"): Choose =>
    (ours, usual, ofCluster) => ({
      [part]: unsaidPlugins(part, theirs, ours, usual, ofCluster),
    });
  return [
    plugins("clusterNames"),
    plugins("otherNames"),
    (ours, usual, ofCluster) => ({
      blocks: unsaidBlocks(theirs, ours, usual, isElsewhere).map((each) => asAddition(each, theirs, ofCluster)),
    }),
  ];
}

function viewsOf(dns: Answers, ofCluster: readonly string[]): Unsaid["blocks"] {
  return dns.blocks.filter(({ isForSome }) => isForSome).map((each) => asAddition(each, dns, ofCluster));
}

function add(before: WithText, shared: Part, component: Component, choose: Choose): WithText {
  const { description, refused } = before;
  const cluster = renderable(overlay(shared, description) as Part);
  const ours = cluster && answersThen(cluster)[component];
  if (!ours) return before;
  const ofCluster = [cluster.domain, ...(component === "authoritativeDNS" ? reverseZones : [])];
  const unsaid = { ...nothing, ...choose(ours, usualAnswers(cluster.domain), ofCluster) };
  const props = { ...needed, ...(overlay(shared, withoutStubs(description, unsaid)) as Part) } as ClusterDnsProps;
  const result = accepted(component, props, cluster, unsaid);
  const texts = Object.entries(result.corefile).filter(
    ([part]) => (result.unsaid[part as keyof Unsaid]?.length ?? 0) > 0,
  );
  const all = new Map([...refused, ...result.refused]);
  if (texts.length === 0) return { ...before, refused: all };
  const text = { [component]: { corefile: Object.fromEntries(texts) } };
  return { ...before, description: overlay(withoutStubs(description, result.unsaid), text) as Part, refused: all };
}

/** Without the stub domains that blocks answer. */
function withoutStubs(description: Part, { blocks }: Unsaid): Part {
  const stubs = valueAt(description, ["stubDomains"]);
  if (!isMapping(stubs)) return description;
  const zones = new Set(blocks.flatMap(({ keys }) => keys.map(({ zone }) => zone)));
  const left = Object.entries(stubs).filter(([zone]) => !zones.has(zone));
  const { stubDomains: _, ...others } = description;
  return left.length > 0 ? { ...others, stubDomains: Object.fromEntries(left) } : others;
}
