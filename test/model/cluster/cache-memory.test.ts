import { describe, expect, it } from "vitest";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { CacheOptions } from "../../../src/model/props/cache";

function memory(cache: CacheOptions | undefined, stubZones = 0): string {
  const zones = Array.from({ length: stubZones }, (_, i) => [`zone${i}.example`, ["10.1.2.3"]] as const);
  const { components } = clusterOf({
    clusterDNS: ["10.96.0.10"],
    kubeProxyMode: "iptables",
    agentImage: "agent:1",
    stubDomains: Object.fromEntries(zones),
    nodeLocalDNS: { cache },
  });
  return String(components.nodeLocalDns?.resources.requests?.["memory"]);
}

describe("the memory request of a cache", () => {
  // kubekey#3246: about 30 MB for 10,000 entries.
  it("grows by about 30 MB for 10,000 entries", () => {
    const mebi = (capacity: number) =>
      Number.parseInt(memory({ success: { capacity }, denial: { capacity: 1024 } }), 10);
    expect(mebi(20_000) - mebi(10_000)).toBeCloseTo((2 * 30e6) / 2 ** 20, -1);
  });

  it.each([
    ["the default", undefined, 0, "135Mi"],
    ["small caches", { success: { capacity: 1024 }, denial: { capacity: 1024 } }, 0, "32Mi"],
    ["only the positive answers enlarged", { success: { capacity: 20_000 } }, 0, "192Mi"],
    ["ten stub domains", undefined, 10, "193Mi"],
  ])("is, for %s, whole Mi", (_, cache, zones, expected) => {
    expect(memory(cache, zones)).toBe(expected);
  });
});
