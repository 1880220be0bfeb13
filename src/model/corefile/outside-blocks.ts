import { cachePlugin, type CacheSettings } from "./cache";
import { plugin, type Corefile, type Directive, type ServerBlock } from "./corefile";
import { forwardOutside, forwardToStubs, hostsPlugin, maxConcurrent, type OutsideNames } from "./outside-names";

/** The names outside the cluster domain, and how they are answered. */
export interface OutsideBlocks {
  readonly names: OutsideNames;
  readonly cache: CacheSettings;
  /** The first plugins of each block. */
  readonly plugins: readonly Directive[];
  /** Zones with servers of their own. */
  readonly elsewhere?: { readonly zones: readonly string[]; readonly servers: Directive["args"] };
  /** An address that the blocks listen on, so that they can ask each other. */
  readonly host: string;
}

/**
 * Server blocks for names outside the cluster domain. CoreDNS counts a cache's entries, not their bytes: an answer of
 * 64 kB takes 0.1 to 9 MB, and anybody with a domain can get any number of them cached. Over UDP an answer has at most
 * 1232 bytes, so only UDP is cached. A query over TCP is asked over UDP first; only what does not fit is fetched over
 * TCP, uncached and few at a time.
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
    // An answer over TLS may also be large: a block of its own cuts it to what a UDP client takes.
    ...(overTls ? [{ zones: ["."], ports: [tlsPort], plugins: [...plugins, forwardOutside(names)] }] : []),
  ];
}

/** All in one block, for a program without `view`: its cache has no bound. */
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

/** Asks our own blocks for an outside name, over UDP first. */
export function forwardAgain(host: string): Directive {
  return forwardTo(host, againPort, plugin("prefer_udp"));
}

function forwardTo(host: string, port: number, ...options: readonly Directive[]): Directive {
  const server = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  return plugin("forward", [".", server], [...options, plugin("max_fails", [0]), maxConcurrent]);
}

/** Port for asking again: over UDP the cached block, over TCP the one for large answers. */
const againPort = 10054;
/** Port of the block that asks over TLS. */
const tlsPort = 10055;

const overUdp = plugin("view", ["udp"], [plugin("expr", ["proto() == 'udp'"])]);

/** In flight, a large answer takes up to 7 MB, sometimes twice that. */
const fewConcurrent = plugin("max_concurrent", [8]);
