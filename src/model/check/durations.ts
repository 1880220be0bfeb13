import type { ClusterDnsProps } from "../props/cluster-dns";
import { parseDuration } from "../syntax/duration";
import type { Problem } from "../syntax/problem";
import { when } from "./report";
import { show } from "../syntax/show";

/** Durations as Go writes them, and the range of each; without one, whatever CoreDNS takes. */
export function durationRules({ authoritativeDNS, nodeLocalDNS, nodeResolver }: ClusterDnsProps): Problem[] {
  const thresholds = nodeLocalDNS?.watchdogThresholds;
  const at = (key: string) => ["nodeLocalDNS", "watchdogThresholds", key];
  const durations: [path: string[], value: string | undefined, least?: string, most?: string][] = [
    ...(
      [
        ["authoritativeDNS", authoritativeDNS?.cache],
        ["nodeLocalDNS", nodeLocalDNS?.cache],
      ] as const
    ).flatMap(([component, cache]): [string[], string | undefined][] => [
      [[component, "cache", "serveStale"], cache?.serveStale],
      [[component, "cache", "prefetch", "duration"], cache?.prefetch?.duration],
    ]),
    [["nodeResolver", "interval"], nodeResolver?.interval, "5s", "1h"],
    [at("probeInterval"), thresholds?.probeInterval, "100ms", "10s"],
    [at("probeTimeout"), thresholds?.probeTimeout, "50ms", "5s"],
    [at("windowLength"), thresholds?.windowLength, "1s", "1h"],
    [at("recoverAfter"), thresholds?.recoverAfter, "1ms", "1m"],
    [at("hostTimeout"), thresholds?.hostTimeout, "30s", "10m"],
  ];
  return durations.flatMap(([path, text, least, most]) => {
    if (text === undefined) return [];
    const value = parseDuration(text);
    if (value === undefined)
      return when(true, path, `${show(text)} is not a duration; accepted: 600ms, 30s, 1h30m ...`);
    const isOutside = value < (parseDuration(least ?? "") ?? 0) || value > (parseDuration(most ?? "") ?? Infinity);
    return when(isOutside, path, `${show(text)} is out of range; accepted: ${least} to ${most}`);
  });
}
