import { describe, expect, it } from "vitest";
import { agentImage, problemsOf } from "./problems";

describe("durations: what is refused, and what a user reads", () => {
  it.each<[message: string, props: object]>([
    [
      'authoritativeDNS.cache.serveStale: "1 hour" is not a duration',
      { "authoritativeDNS.cache.serveStale": "1 hour" },
    ],
    ['authoritativeDNS.cache.serveStale: "0s" is not a duration', { "authoritativeDNS.cache.serveStale": "0s" }],
    ['authoritativeDNS.cache.serveStale: "9999999h" is not a', { "authoritativeDNS.cache.serveStale": "9999999h" }],
    ['authoritativeDNS.cache.serveStale: "-1h" is not a duration', { "authoritativeDNS.cache.serveStale": "-1h" }],
    ['authoritativeDNS.cache.serveStale: "1ms" is out of range', { "authoritativeDNS.cache.serveStale": "1ms" }],
    [
      'nodeLocalDNS.cache.prefetch.duration: "one minute" is not a',
      { nodeLocalDNS: { state: "disabled", cache: { prefetch: { amount: 3, duration: "one minute" } } } },
    ],
    [
      'nodeLocalDNS.watchdogThresholds.probeInterval: "50ms" is out of range',
      { agentImage, "nodeLocalDNS.watchdogThresholds.probeInterval": "50ms" },
    ],
    [
      "nodeLocalDNS.watchdogThresholds.recoverAfter: 3000 is a number",
      { agentImage, "nodeLocalDNS.watchdogThresholds.recoverAfter": 3000 },
    ],
    ["resilience.staleNames: true is a boolean", { "resilience.staleNames": true }],
    ['resilience.staleNames: "off" is not a duration', { "resilience.staleNames": "off" }],
    ['resilience.consolidateErrors: "48h" is out of range', { "resilience.consolidateErrors": "48h" }],
    [
      'nodeResolver.interval: "2h" is out of range',
      { agentImage, nodeResolver: { services: ["registry.default.svc"], interval: "2h" } },
    ],
    ['smokeTest.timeout: "1s" is out of range', { agentImage, "smokeTest.timeout": "1s" }],
  ])("%s", (message, props) => {
    expect(problemsOf(props)).toEqual([expect.stringContaining(message)]);
  });

  it.each<[what: string, props: object]>([
    [
      "durations as Go writes them",
      { "authoritativeDNS.cache": { serveStale: "1h30m0.5s", prefetch: { amount: 3, duration: "90s" } } },
    ],
    [
      "the ends of a range",
      { agentImage, "nodeLocalDNS.watchdogThresholds": { probeInterval: "0.1s", hostTimeout: "10m" } },
    ],
  ])("accepts %s", (_, props) => {
    expect(problemsOf(props)).toEqual([]);
  });
});
