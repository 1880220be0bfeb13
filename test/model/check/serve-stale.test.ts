import { expect, it } from "vitest";
import type { CacheOptions } from "../../../src/model/props/cache";
import type { NodeLocalDnsOptions } from "../../../src/model/props/node-local-dns";
import { agentImage, problemsOf } from "./problems";

type Stale = CacheOptions["serveStale"];

const of = (key: "authoritativeDNS" | "nodeLocalDNS", options: object) =>
  problemsOf({ agentImage, [key]: options }).map((each) => each.replace(`${key}.cache.serveStale`, ""));
const ofNodes = (serveStale: Stale, engine: NodeLocalDnsOptions["engine"] = "coredns") =>
  of("nodeLocalDNS", { cache: { serveStale }, engine });
const ofCluster = (serveStale: Stale) => of("authoritativeDNS", { cache: { serveStale } });

it.each<[problem: string, problems: string[]]>([
  [': "12 hours" is not a duration; accepted: 600ms, 30s, 1h30m ...', ofCluster("12 hours")],
  ['.timeout: "5s" is out of range; accepted: 1ms to 4s', ofNodes({ duration: "1h", timeout: "5s" })],
  [".timeout: has no effect with refresh: immediate", ofNodes({ duration: "1h", refresh: "immediate", timeout: "1s" })],
  ['.responseTTL: "1500ms" is not a TTL; whole seconds', ofNodes({ duration: "1h", responseTTL: "1500ms" })],
  ['.failureRecheck: "6m" is out of range; accepted: 1ms to 5m', ofNodes({ duration: "1h", failureRecheck: "6m" })],
  [".clusterNames: has no effect: CoreDNS answers", ofCluster({ duration: "1h", clusterNames: true })],
  [".responseTTL: is not supported by engine", ofNodes({ duration: "1h", responseTTL: "30s" }, "node-cache")],
])("serveStale%s", (problem, problems) => {
  expect(problems.map((each) => each.slice(0, problem.length))).toEqual([problem]);
});

it.each<[what: string, problems: string[]]>([
  ["a duration", ofCluster("12h")],
  ["all", ofNodes({ duration: "1h", timeout: "4s", responseTTL: "30s", failureRecheck: "5m", preferPositive: true })],
  ["the older engine's part", ofNodes({ duration: "1h", refresh: "immediate" }, "node-cache")],
])("accepted: %s", (_, problems) => expect(problems).toEqual([]));
