import type { CacheClass, Prefetch } from "../props/cache";
import { plugin, type Directive } from "./corefile";

/** Settings of a `cache` plugin. */
export interface CacheSettings {
  readonly success: Required<CacheClass>;
  readonly denial: Required<CacheClass>;
  readonly prefetch: Required<Prefetch> | undefined;
  readonly serveStale: StaleSettings | undefined;
}

/** Settings of `serve_stale`; undefined where CoreDNS's default will do, or its version does not know the option. */
export interface StaleSettings {
  readonly duration: string;
  readonly refresh: "verify" | "immediate";
  readonly timeout: string | undefined;
  readonly responseTTL: string | undefined;
  readonly failureRecheck: string | undefined;
  readonly preferPositive: boolean | undefined;
}

export function cachePlugin({ success, denial, prefetch, serveStale }: CacheSettings): Directive {
  return plugin(
    "cache",
    [],
    [
      plugin("success", [success.capacity, success.ttl]),
      plugin("denial", [denial.capacity, denial.ttl]),
      ...(prefetch ? [plugin("prefetch", [prefetch.amount, prefetch.duration, `${prefetch.percentage}%`])] : []),
      ...(serveStale ? staleDirectives(serveStale) : []),
    ],
  );
}

/**
 * Without a mode, CoreDNS uses `immediate`: the old answer first, even while the upstream works. With `prefer_positive`, it
 * would keep a SERVFAIL in the place of an older NXDOMAIN, and musl ends its search path at a SERVFAIL.
 */
function staleDirectives(stale: StaleSettings): Directive[] {
  const { duration, refresh, timeout, responseTTL, failureRecheck, preferPositive } = stale;
  const times = [timeout, responseTTL, failureRecheck];
  return [
    plugin("serve_stale", [duration, refresh, ...times.filter((time) => time !== undefined)]),
    ...(preferPositive ? [plugin("serve_stale_policy", ["prefer_positive"]), plugin("servfail", ["0s"])] : []),
  ];
}
