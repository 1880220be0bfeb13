import type { WrittenDirective } from "../corefile/corefile";
import { defaults } from "../defaults";
import { canonicalName, inZone } from "../syntax/names";
import { wholeNumber, written } from "./directive";
import { type Finding, found, type Found, unlessDefault } from "./finding";

/** CoreDNS's own TTLs (plugin/cache/cache.go, plugin/pkg/dnsutil/ttl.go). */
const ownTTL = { success: 3600, denial: 1800 };

/** The smallest cache, whatever is said (plugin/pkg/cache/cache.go). */
const leastCapacity = 1024;

/** The most arguments of each option that a cluster file can express. */
const most: ReadonlyMap<string, number> = new Map([
  ["success", 2],
  ["denial", 2],
  ["disable", Infinity],
  ["prefetch", 3],
  ["serve_stale", 5],
  ["serve_stale_policy", 1],
]);

/**
 * `cache [TTL] [ZONES...]` (plugin/cache/setup.go).
 * @param ofCluster The cluster's zones, which we keep out of the cache as well.
 */
export function fromCache({ args, options }: WrittenDirective, ofCluster: readonly string[]): Found {
  const seconds = wholeNumber(args[0]);
  const zones = (seconds === undefined ? args : args.slice(1)).filter((zone) => zone !== ".");
  if (zones.length > 0 && zones.every(isOfCluster)) return { findings: [], unsaid: [onlyFor(zones)] };
  const option = (name: string) => options.find((each) => each.name === name);
  const disabled = options.filter(
    ({ name, args: [, ...without] }) => name === "disable" && !(without.length > 0 && without.every(isOfCluster)),
  );
  function isOfCluster(zone: string): boolean {
    return ofCluster.some((each) => inZone(canonicalName(zone), each));
  }
  const one = (name: "success" | "denial"): Finding[] => {
    if (
      disabled.some(({ args: [kind, ...without] }) => kind === name && (without.length === 0 || without.includes(".")))
    )
      return [];
    const [capacity, ttl] = option(name)?.args.map(wholeNumber) ?? [];
    const path = `authoritativeDNS.cache.${name}`;
    return [
      ...unlessDefault(
        `${path}.capacity`,
        capacity === undefined ? undefined : Math.max(capacity, leastCapacity),
        defaults.cache[name].capacity,
      ),
      ...unlessDefault(`${path}.ttl`, ttl ?? seconds ?? ownTTL[name], defaults.cache[name].ttl),
    ];
  };
  const stale = serveStale(option("serve_stale"), option("serve_stale_policy"));
  return {
    findings: [
      ...one("success"),
      ...one("denial"),
      ...found("authoritativeDNS.cache.prefetch", prefetch(option("prefetch"))),
      ...found("authoritativeDNS.cache.serveStale", stale),
    ],
    unsaid: [
      ...(zones.length > 0 ? [onlyFor(zones)] : []),
      ...options
        .filter((each) => disabled.includes(each) || each.args.length > (most.get(each.name) ?? -1))
        .map((each) => `cache: ${written(each)}`),
      ...(stale ? otherTimes(stale) : []),
    ],
  };
}

function onlyFor(zones: readonly string[]): string {
  return `cache: only for ${zones.join(" ")}`;
}

/** `prefetch AMOUNT [DURATION] [PERCENTAGE%]`; an amount of 0 turns it off. */
function prefetch(option: WrittenDirective | undefined): object | undefined {
  const [amount, ...others] = option?.args ?? [];
  const percentage = others.find((each) => each.endsWith("%"));
  const duration = others.find((each) => each !== percentage);
  if (!wholeNumber(amount)) return undefined;
  return withoutMissing({
    amount: wholeNumber(amount),
    duration,
    percentage: wholeNumber(percentage?.slice(0, -1)),
  });
}

interface Stale {
  readonly duration: string;
  readonly refresh: string;
  readonly timeout?: string;
  readonly responseTTL?: string;
}

/**
 * `serve_stale [DURATION] [immediate|verify [TIMEOUT]] [TTL] [RECHECK]`, with CoreDNS's own defaults, which are not ours.
 * A duration of 0 turns it off; another time of 0 is as if not said (plugin/cache/handler.go).
 */
function serveStale(option: WrittenDirective | undefined, policy: WrittenDirective | undefined): Stale | undefined {
  if (!option) return undefined;
  const [duration = "1h", mode = "immediate", ...times] = option.args;
  if (isZero(duration)) return undefined;
  const refresh = mode.toLowerCase();
  const all = refresh === "verify" ? times : ["0", ...times];
  const [timeout, responseTTL, failureRecheck] = all.map((time) => (isZero(time) ? undefined : time));
  const preferPositive = policy ? true : undefined;
  return withoutMissing({ duration, refresh, timeout, responseTTL, failureRecheck, preferPositive });
}

/** What has no name in CoreDNS, and another value in ours. */
function otherTimes({ refresh, timeout, responseTTL }: Stale): string[] {
  const ours = defaults.staleTimes;
  return [
    ...(refresh === "verify" && timeout === undefined
      ? [`cache: serve_stale verify without a timeout; ours: ${ours.timeout}`]
      : []),
    ...(responseTTL === undefined ? [`cache: serve_stale with TTL 0; ours: ${ours.responseTTL}`] : []),
  ];
}

function isZero(time: string): boolean {
  return /^[^1-9]*0[^1-9]*$/.test(time);
}

function withoutMissing<T extends object>(mapping: T): T {
  return Object.fromEntries(Object.entries(mapping).filter(([, value]) => value !== undefined)) as T;
}
