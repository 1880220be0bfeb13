import { cachePlugin, type CacheSettings } from "./cache";
import { plugin, serverBlock, type Corefile, type Directive, type ServerBlock } from "./corefile";
import {
  forwardOutside,
  forwardToStubs,
  hostsPlugin,
  maxConcurrent,
  maxAnswersOverTcp,
  type OutsideNames,
} from "./outside-names";

/** The names outside the cluster domain, and how they are answered. */
export interface OutsideBlocks {
  readonly names: OutsideNames;
  readonly cache: CacheSettings;
  /** The first plugins of each block. */
  readonly plugins: readonly Directive[];
  /** Zones with servers of their own. */
  readonly elsewhere?: { readonly zones: readonly string[]; readonly servers: Directive["args"] };
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
  return [block(outside, [cache], maxConcurrent, overUdp), block(outside, [], maxConcurrentOverTcp)];
}

function block(outside: OutsideBlocks, caching: readonly Directive[], limit: Directive, view?: Directive): ServerBlock {
  const { names, plugins, elsewhere } = outside;
  return serverBlock(
    [".", ...names.stubDomains.map(({ zone }) => zone)],
    [
      ...plugins,
      ...hostsPlugin(names),
      ...caching,
      // The first that matches a name is asked.
      ...forwardToStubs(names, limit),
      ...(elsewhere?.zones ?? []).map((zone) => plugin("forward", [zone, ...(elsewhere?.servers ?? [])], [limit])),
      forwardOutside(names, limit),
      plugin("loop"),
      plugin("loadbalance"),
    ],
    { view },
  );
}

const overUdp = plugin("view", ["udp"], [plugin("expr", ["proto() == 'udp'"])]);
const maxConcurrentOverTcp = plugin("max_concurrent", [maxAnswersOverTcp]);
