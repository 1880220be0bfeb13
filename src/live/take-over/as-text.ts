import { overlay, type Part } from "../../config/overlay";
import { isOurs } from "../../model/object-names";
import type { Cluster } from "../../model/cluster/cluster";
import { zoneOwner } from "../../model/cluster/zone-owners";
import { type Component, hasView } from "../../model/corefile/additions";
import type { WrittenBlock } from "../../model/corefile/corefile";
import { zoneOfRewrite } from "../../model/corefile/rewrites";
import { fillIn } from "../../model/full-props/fill-in";
import type { ClusterDnsProps } from "../../model/props/cluster-dns";
import { isMapping } from "../../model/syntax/mapping";
import { reverseZones } from "../../model/syntax/names";
import type { Answers } from "../../model/takeover/answers";
import { answersThen, type AnswersThen } from "../../model/takeover/then";
import { accepted, asAddition, nothing, unsaidBlocks, unsaidPlugins } from "../../model/takeover/unsaid";
import type { Accepted, Unsaid } from "../../model/takeover/unsaid";
import { usualAnswers } from "../../model/takeover/usual";
import type { Survey } from "./evidence";
import type { Fleet } from "./fleet";

export interface WithText {
  readonly description: Part;
  readonly refused: Accepted["refused"];
  /** Blocks with a view that only CoreDNS has, and not the node cache, which hides from it who asks. */
  readonly unseen: Accepted["refused"];
}

/** With what the description means, if that is known. */
interface State extends WithText {
  readonly meaning?: (AnswersThen & { readonly cluster: Cluster | undefined }) | undefined;
}

type Choose = (ours: Answers, usual: ReturnType<typeof usualAnswers>, ofCluster: readonly string[]) => Partial<Unsaid>;

/** With what no key says, as Corefile text: for CoreDNS unless its owner keeps it, and for a cache that is there. */
export function withText(description: Part, survey: Survey): WithText {
  const { workloads, isKept, dns, cache, isCluster, fleet } = survey;
  const before: State = { description, refused: new Map(), unseen: new Map() };
  const all = (from: State, component: Component, choices: readonly Choose[]) =>
    choices.reduce((each, choose) => add(each, fleet, component, choose), from);
  const isRead = !isKept && survey.sources.length > 0;
  // Blocks of ours are of keys that are not read back, such as tenants.
  const isOwn = workloads.slice(0, 1).some(isOurs);
  const choices = choicesFor(dns, () => false).slice(0, isOwn ? -1 : undefined);
  const ofDns = isRead ? all(before, "authoritativeDNS", choices) : before;
  const isRefused = (block: WrittenBlock) =>
    [...ofDns.refused.keys()].some((each) => "keys" in each && each.plugins.some((one) => block.plugins.includes(one)));
  const views: Choose = (_ours, _usual, ofCluster) => ({
    blocks: dns.blocks
      .filter(({ block, isForSome }) => isForSome && !isRefused(block))
      .map((each) => asAddition(each, dns, ofCluster)),
  });
  const ofViews = isRead && !isOwn ? add({ ...ofDns, refused: new Map() }, fleet, "nodeLocalDNS", views) : ofDns;
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

function add(before: State, fleet: Fleet, component: Component, choose: Choose): State {
  const { description, refused, meaning = meaningOf(fleet.cluster(description)) } = before;
  const { cluster } = meaning;
  const ours = meaning[component];
  if (!cluster || !ours) return { ...before, meaning };
  const ofCluster = [cluster.said.clusterDomain, ...(component === "authoritativeDNS" ? reverseZones : [])];
  const unsaid = { ...nothing, ...choose(ours, usualAnswers(cluster.said.clusterDomain), ofCluster) };
  const beside = fleet.accepted(withoutZones(description, answeredBy(unsaid)));
  if (!beside) return { ...before, meaning };
  const result = accepted(component, beside, unsaid);
  const texts = Object.entries(result.corefile).filter(
    ([part]) => (result.unsaid[part as keyof Unsaid]?.length ?? 0) > 0,
  );
  const all = new Map([...refused, ...result.refused]);
  if (texts.length === 0) return { ...before, meaning, refused: all };
  const text = { [component]: { corefile: Object.fromEntries(texts) } };
  const meant = overlay(withoutZones(description, answeredBy(result.unsaid)), text);
  return { ...before, description: withoutDeadNames(meant), meaning: undefined, refused: all };
}

function meaningOf(cluster: Cluster | undefined): NonNullable<State["meaning"]> {
  return { cluster, ...(cluster ? answersThen(cluster) : { authoritativeDNS: undefined, nodeLocalDNS: undefined }) };
}

/** The zones that blocks answer; one with a view leaves other queries to them. */
function answeredBy({ blocks }: Unsaid): string[] {
  return blocks.filter((each) => !hasView(each)).flatMap(({ keys }) => keys.map(({ zone }) => zone));
}

/** Without what it says of zones that are answered otherwise. */
export function withoutZones(description: Part, zones: readonly string[]): Part {
  return withoutEmpty(description, (key, value) =>
    (key === "stubDomains" || key === "zones") && isMapping(value)
      ? Object.fromEntries(Object.entries(value).filter(([zone]) => !zones.includes(zone)))
      : value,
  );
}

/** Without rules and aliases for names of such zones, which theirs did not see either. */
function withoutDeadNames(description: Part): Part {
  const props = description as unknown as ClusterDnsProps;
  const said = fillIn(props);
  const ownerOf = zoneOwner(said);
  const rewritten = said.rewrites.map(zoneOfRewrite);
  const isSeen = (names: string | undefined) => names === undefined || !ownerOf(names)?.isApart;
  const seen: Part = {
    rewrites: props.rewrites?.filter((_, i) => isSeen(rewritten[i])),
    hostAliases: props.hostAliases
      ?.map(({ ip, hostnames }) => ({ ip, hostnames: hostnames.filter(isSeen) }))
      .filter(({ hostnames }) => hostnames.length > 0),
  };
  return withoutEmpty(description, (key, value) => seen[key] ?? value);
}

/** Other values of keys, and no key whose value becomes empty. */
function withoutEmpty(description: Part, change: (key: string, value: unknown) => unknown): Part {
  return Object.fromEntries(
    Object.entries(description)
      .map(([key, value]) => [key, change(key, value), value] as const)
      .filter(([, now, was]) => now === was || Object.keys(now as object).length > 0)
      .map(([key, now]) => [key, now]),
  );
}
