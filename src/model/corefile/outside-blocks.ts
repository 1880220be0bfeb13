import { cachePlugin, type CacheSettings } from "./cache";
import { plugin, type Corefile, type Directive, type ServerBlock } from "./corefile";
import { forwardOutside, forwardToStubs, hostsPlugin, maxConcurrent, type OutsideNames } from "./outside-names";

/** Names that others answer, and how. */
export interface OutsideBlocks {
  readonly names: OutsideNames;
  readonly cache: CacheSettings;
  /** What each block begins with. */
  readonly plugins: readonly Directive[];
  /** Servers for zones that are asked elsewhere. */
  readonly elsewhere?: { readonly zones: readonly string[]; readonly servers: Directive["args"] };
  /** An address that the blocks are bound to, to ask themselves. */
  readonly host: string;
}

/**
 * Server blocks for names outside the cluster domain. CoreDNS counts the entries of a cache, not their bytes: an answer of 64 kB takes 0.1
 * to 9 MB, and whoever has a domain can have any number of them cached. Over UDP an answer has 1232 bytes at most. So UDP alone is cached;
 * a query over TCP is asked over UDP first, and only what does not fit there is fetched over TCP, not cached, and little of it at a time.
 */
export function outsideBlocks(outside: OutsideBlocks): Corefile {
  const { names, plugins, host } = outside;
  const overTls = names.upstreamTLSServerName !== undefined;
  const { zones, plugins: cached } = cachedBlock(outside, overTls ? forwardTo(host, tlsPort) : undefined);
  return [
    { zones, ports: [53, againPort], plugins: [overUdp, ...cached] },
    { zones: ["."], plugins: [...plugins, forwardAgain(host)] },
    {
      zones,
      ports: [againPort],
      plugins: [...plugins, ...hostsPlugin(names), ...forwards(outside, fewConcurrent), plugin("loadbalance")],
    },
    // An answer over TLS may be large, too: on its way through a block of its own it is cut to what a client over UDP takes.
    ...(overTls ? [{ zones: ["."], ports: [tlsPort], plugins: [...plugins, forwardOutside(names)] }] : []),
  ];
}

/** All of it in one block, for a program without `view`: what it caches has no bound. */
export function unboundedOutsideBlock(outside: OutsideBlocks): ServerBlock {
  return cachedBlock(outside);
}

function cachedBlock(outside: OutsideBlocks, toUpstreams?: Directive): ServerBlock {
  const { names, cache, plugins } = outside;
  return {
    zones: [".", ...names.stubDomains.map(({ zone }) => zone)],
    plugins: [
      ...plugins,
      ...hostsPlugin(names),
      cachePlugin(cache),
      ...forwards(outside, maxConcurrent, toUpstreams),
      plugin("loop"),
      plugin("loadbalance"),
    ],
  };
}

/** The first that matches a name is asked. */
function forwards(
  { names, elsewhere }: OutsideBlocks,
  concurrency: Directive,
  toUpstreams: Directive = forwardOutside(names, concurrency),
): Directive[] {
  return [
    ...forwardToStubs(names, concurrency),
    ...(elsewhere?.zones ?? []).map((zone) => plugin("forward", [zone, ...(elsewhere?.servers ?? [])], [concurrency])),
    toUpstreams,
  ];
}

/** Asks the blocks for a name outside, over UDP first. */
export function forwardAgain(host: string): Directive {
  return forwardTo(host, againPort, plugin("prefer_udp"));
}

function forwardTo(host: string, port: number, ...options: readonly Directive[]): Directive {
  const server = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  return plugin("forward", [".", server], [...options, plugin("max_fails", [0]), maxConcurrent]);
}

/** Port of what is asked again: over UDP the cached block, over TCP the one for large answers. */
const againPort = 10054;
/** Port of the block that asks over TLS. */
const tlsPort = 10055;

const overUdp = plugin("view", ["udp"], [plugin("expr", ["proto() == 'udp'"])]);

/** While it is under way a large answer takes up to 7 MB, or twice that. */
const fewConcurrent = plugin("max_concurrent", [8]);
