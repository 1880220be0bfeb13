import { cachePlugin, type CacheSettings, type StaleSettings } from "./cache";
import { plugin, type Directive } from "./corefile";

/** Names whose answers no others displace. */
export interface PinnedNames {
  /** As in DNS: lower case, without a dot at their ends. */
  readonly names: readonly string[];
  readonly stale: StaleSettings;
  /** Entries of either kind. */
  readonly capacity: number;
}

/** Which queries are for pinned names. Their subdomains are not: those are as many as anybody likes. */
export function ofPinned({ names }: PinnedNames): Directive {
  const listed = names.map((name) => `'${name}.'`).join(", ");
  return plugin("view", ["pinned"], [plugin("expr", [`name() in [${listed}]`])]);
}

/** Answers are as old, and are refreshed as early, as those of all other names. */
export function pinnedCache({ stale, capacity }: PinnedNames, { success, prefetch }: CacheSettings): Directive {
  return cachePlugin({
    success: { ...success, capacity },
    denial: { capacity, ttl: denialSeconds },
    prefetch,
    serveStale: stale,
  });
}

/** The least that CoreDNS keeps: names that pods cannot do without were probably not deleted. */
const denialSeconds = 5;
