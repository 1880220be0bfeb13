import { expect, it } from "vitest";
import type { CacheOptions } from "../../../src/model/props/cache";
import type { NodeLocalDnsOptions } from "../../../src/model/props/node-local-dns";
import { problemsOf } from "./problems";

type Stale = CacheOptions["serveStale"];

const ofNodes = (serveStale: Stale, engine?: NodeLocalDnsOptions["engine"]) =>
  problemsOf({
    agentImage: "registry.example/agent:1",
    nodeLocalDNS: { cache: { serveStale }, ...(engine ? { engine } : {}) },
  });
const ofCluster = (serveStale: Stale) => problemsOf({ authoritativeDNS: { cache: { serveStale } } });

it.each<[problem: string, problems: string[]]>([
  [
    'authoritativeDNS.cache.serveStale: "12 hours" is not a duration; accepted: 600ms, 30s, 1h30m ...',
    ofCluster("12 hours"),
  ],
  [
    'nodeLocalDNS.cache.serveStale.timeout: "5s" is out of range; accepted: 1ms to 4s',
    ofNodes({ duration: "1h", timeout: "5s" }),
  ],
  [
    "nodeLocalDNS.cache.serveStale.timeout: has no effect with refresh: immediate, which does not wait; leave it out, or use verify",
    ofNodes({ duration: "1h", refresh: "immediate", timeout: "1s" }),
  ],
  [
    'nodeLocalDNS.cache.serveStale.responseTTL: "1500ms" is not a TTL; whole seconds accepted',
    ofNodes({ duration: "1h", responseTTL: "1500ms" }),
  ],
  [
    'nodeLocalDNS.cache.serveStale.failureRecheck: "6m" is out of range; accepted: 1ms to 5m',
    ofNodes({ duration: "1h", failureRecheck: "6m" }),
  ],
  [
    "authoritativeDNS.cache.serveStale.clusterNames: has no effect: CoreDNS answers the cluster's names from memory; leave it out",
    ofCluster({ duration: "1h", clusterNames: true }),
  ],
  [
    "nodeLocalDNS.cache.serveStale.responseTTL: is not supported by engine: node-cache, which contains CoreDNS 1.13.2; leave it out, or use engine: coredns",
    ofNodes({ duration: "1h", responseTTL: "30s" }, "node-cache"),
  ],
  ["nodeLocalDNS.cache.serveStale: true is a boolean; accepted: a duration such as", ofNodes(true as never)],
  ["nodeLocalDNS.cache.serveStale.duration: is required", ofNodes({} as never)],
])("%s", (problem, problems) => expect(problems).toEqual([expect.stringContaining(problem)]));

it.each<[what: string, problems: string[]]>([
  ["a duration", ofCluster("12h")],
  [
    "all of CoreDNS's verify",
    ofNodes({ duration: "1h", timeout: "4s", responseTTL: "30s", failureRecheck: "5m", preferPositive: true }),
  ],
  ["the older engine's part", ofNodes({ duration: "1h", refresh: "immediate" }, "node-cache")],
])("accepted: %s", (_, problems) => expect(problems).toEqual([]));
