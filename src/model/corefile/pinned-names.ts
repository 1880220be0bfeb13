import { cachePlugin, type CacheSettings, type StaleSettings } from "./cache";
import { plugin, type Directive } from "./corefile";

/** Names whose answers no others displace. */
export interface PinnedNames {
  /** As in DNS: lower case, without a dot at their ends. */
  readonly names: readonly string[];
  readonly stale: StaleSettings;
}

/** The types that programs ask for. With all others, a pod could fill the cache. */
const types = ["A", "AAAA", "HTTPS", "MX", "SRV", "TXT"];

/** The most answers, and denials, that there can be: CoreDNS keeps each with and without the bits DO and CD. */
export function mostPinned({ names }: PinnedNames): number {
  return names.length * types.length * 4;
}

/** Which queries are for pinned names. Their subdomains are not: those are as many as anybody likes. */
export function ofPinned({ names }: PinnedNames): Directive {
  const isAmong = (what: string, all: readonly string[]) =>
    `${what}() in [${all.map((each) => `'${each}'`).join(", ")}]`;
  const isPinned = [
    isAmong(
      "name",
      names.map((name) => `${name}.`),
    ),
    isAmong("type", types),
    "class() == 'IN'",
  ];
  return plugin("view", ["pinned"], [plugin("expr", [isPinned.join(" && ")])]);
}

/**
 * Answers are as old, and are refreshed as early, as those of all other names. Each of the cache's 256 shards has room for
 * all that there can be: which shard has an answer is chance.
 */
export function pinnedCache(pinned: PinnedNames, { success, prefetch }: CacheSettings): Directive {
  const capacity = 256 * mostPinned(pinned);
  return cachePlugin({
    success: { ...success, capacity },
    denial: { capacity, ttl: denialSeconds },
    prefetch,
    serveStale: pinned.stale,
  });
}

/** The least that CoreDNS keeps: names that pods cannot do without were probably not deleted. */
const denialSeconds = 5;
