import { type AnsweredNames, ofAnswered } from "./answered-names";
import { cachePlugin, type CacheSettings } from "./cache";
import { plugin, serverBlock, type Corefile, type Directive, type ServerBlock } from "./corefile";
import { ofFamilies } from "./families";
import { forwardTo, maxConcurrent } from "./forward";
import { forwardOutside, hostsPlugin, type OutsideNames } from "./outside-names";
import { ofPinned, pinnedCache } from "./pinned-names";
import { forwardToMain, longestWait } from "./to-main";
import { maxConcurrentOverTcp, overUdp } from "./over-udp";

export interface CachedApart extends AnsweredNames {
  /** Undefined: not at all. */
  readonly cache: CacheSettings | undefined;
  /** Whether only the cluster's names are behind them: wildcards and templates of `zones` may have any size. */
  readonly isOfCluster: boolean;
}

interface OutsideBlocks {
  readonly names: OutsideNames;
  readonly cache: CacheSettings;
  /** The first plugins of each block. */
  readonly plugins: readonly Directive[];
  /** What is asked at other servers: zones, and all names beside them if `isAll`. */
  readonly elsewhere?: {
    readonly zones: readonly string[];
    readonly isAll: boolean;
    /** Zones that blocks beside these would take. */
    readonly below: readonly string[];
    readonly servers: Directive["args"];
  };
  /** Names that are cached otherwise than others; undefined: none. */
  readonly answered?: CachedApart | undefined;
  /** Rules for names, and where names that they make are asked: this server itself, over loopback. */
  readonly rewriting?: { readonly rewrites: readonly Directive[]; readonly zones: readonly string[] };
  /** Whether the program has the `view` plugin, which k8s-dns-node-cache lacks. */
  readonly hasView: boolean;
}

/**
 * Server blocks for names outside the cluster domain. CoreDNS counts a cache's entries, not their bytes: an answer of
 * 59 kB takes 0.5 MB and more, and anybody with a domain can get any number of them cached. An answer over UDP has at
 * most 1232 bytes. So answers over UDP are cached. Answers over TCP are not, and few may be under way at a time.
 */
export function outsideBlocks(outside: OutsideBlocks): Corefile {
  const cache = cachePlugin(outside.cache);
  if (!outside.hasView) return [block(outside, [cache], maxConcurrent)];
  const { answered, names } = outside;
  const { pinned } = names;
  return [
    ...(pinned ? [block(outside, [pinnedCache(pinned, outside.cache)], maxConcurrent, ofPinned(pinned))] : []),
    ...(answered
      ? [block(outside, answered.cache ? [cachePlugin(answered.cache)] : [], maxConcurrent, ofAnswered(answered))]
      : []),
    block(outside, [cache], maxConcurrent, overUdp),
    block(outside, [], maxConcurrentOverTcp),
  ];
}

function block(outside: OutsideBlocks, caching: readonly Directive[], limit: Directive, view?: Directive): ServerBlock {
  const { names, plugins, elsewhere, rewriting } = outside;
  // The cluster DNS itself waits for them.
  const patience = names.isSlow ? { timeout: longestWait } : {};
  const there = (zone: string) =>
    forwardTo({ zone, servers: elsewhere?.servers ?? [], ...patience }, limit, names.version);
  return serverBlock(
    [...new Set([".", ...names.stubDomains.map(({ zone }) => zone), ...(elsewhere?.below ?? [])])],
    [
      ...plugins,
      ...(rewriting?.rewrites ?? []),
      ...ofFamilies(names.families),
      ...hostsPlugin(names),
      ...caching,
      ...forwards([
        ...names.stubDomains.map((stub) => ({
          zone: stub.zone,
          forward: forwardTo(stub, limit, names.version),
        })),
        ...(elsewhere?.zones ?? []).map((zone) => ({ zone, forward: there(zone) })),
        ...(rewriting?.zones ?? []).map((zone) => ({ zone, forward: forwardToMain(names.version, zone) })),
      ]),
      elsewhere?.isAll ? there(".") : forwardOutside(names, limit),
      plugin("loop"),
      plugin("loadbalance"),
    ],
    { view },
  );
}

/** A nested zone before the one that contains it: the first that has a name is asked. */
function forwards(all: readonly { readonly zone: string; readonly forward: Directive }[]): Directive[] {
  const labels = ({ zone }: { readonly zone: string }) => zone.split(".").length;
  return all.toSorted((a, b) => labels(b) - labels(a)).map(({ forward }) => forward);
}
