import { smokeTestOptions } from "../cluster/smoke-test";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { ServeStale } from "../props/cache";
import { parseDuration } from "../syntax/duration";
import type { Problem } from "../syntax/problem";
import { when } from "./report";
import { show } from "../syntax/show";

type Duration = [path: string[], value: string | undefined, least?: string, most?: string];

/** Durations in Go's syntax, each with its range; without one, whatever CoreDNS accepts. */
export function durationRules(props: Partial<ClusterDnsProps>): Problem[] {
  const { authoritativeDNS, nodeLocalDNS, nodeResolver, smokeTest } = props;
  const thresholds = nodeLocalDNS?.watchdogThresholds;
  const at = (key: string) => ["nodeLocalDNS", "watchdogThresholds", key];
  const durations: Duration[] = [
    [["authoritativeDNS", "cache", "prefetch", "duration"], authoritativeDNS?.cache?.prefetch?.duration],
    [["nodeLocalDNS", "cache", "prefetch", "duration"], nodeLocalDNS?.cache?.prefetch?.duration],
    ...staleTimes(["authoritativeDNS", "cache", "serveStale"], authoritativeDNS?.cache?.serveStale),
    ...staleTimes(["nodeLocalDNS", "cache", "serveStale"], nodeLocalDNS?.cache?.serveStale),
    [["nodeLocalDNS", "removeAfter"], nodeLocalDNS?.removeAfter, "1s", "168h"],
    [["nodeResolver", "interval"], nodeResolver?.interval, "5s", "1h"],
    [["smokeTest", "timeout"], smokeTestOptions(smokeTest)?.timeout, "1m", "10m"],
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

function staleTimes(path: string[], serveStale: string | ServeStale | undefined): Duration[] {
  const most = "87600h";
  if (typeof serveStale !== "object") return [[path, serveStale, "1s", most]];
  const { duration, timeout, responseTTL, failureRecheck } = serveStale;
  return [
    [[...path, "duration"], duration, "1s", most],
    [[...path, "timeout"], timeout, "1ms", "4s"],
    [[...path, "responseTTL"], responseTTL, "1s", "24h"],
    [[...path, "failureRecheck"], failureRecheck, "1ms", "5m"],
  ];
}
