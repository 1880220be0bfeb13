import { describe, expect, it } from "vitest";
import validate = require("../../src/model/agent-config/validate");
import { Cleanup } from "../../src/constructs/cleanup";
import { Watchdog } from "../../src/constructs/watchdog";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import type { NodeLocalDnsOptions } from "../../src/model/props/node-local-dns";
import { shapeProblems } from "../../src/model/syntax/shape";
import { render, type Part } from "./rendered";

const facts = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", agentImage: "agent:1" } as const;

function watchdog(nodeLocalDNS: NodeLocalDnsOptions = {}, more: Partial<ClusterDnsProps> = {}) {
  return render((chart) => new Watchdog(chart, "watchdog", { ...facts, nodeLocalDNS, ...more }));
}

function cleanup(options: NodeLocalDnsOptions = {}) {
  const nodeLocalDNS = { state: "removed", ...options } as const;
  return render((chart) => new Cleanup(chart, "cleanup", { ...facts, nodeLocalDNS }));
}

function configuration(rendered: ReturnType<typeof render>): unknown {
  const config = rendered.objects.find(({ kind }) => String(kind) === "ConfigMap") as Part;
  return JSON.parse(String(config.data?.["config.json"]));
}

describe("the watchdog", () => {
  it("passes on thresholds with every default, durations in milliseconds", () => {
    const config = configuration(watchdog({ watchdogThresholds: { failures: 5, probeInterval: "1.5s" } }));
    expect(config).toMatchObject({ thresholds: { failures: 5, probeIntervalMs: 1500, windowMs: 60_000 } });
    expect(shapeProblems(validate, config)).toEqual([]);
  });

  it("passes on a limit of queries, and nothing without one", () => {
    expect(configuration(watchdog({ queryLimit: 100 }))).toMatchObject({ queryLimit: 100 });
    expect(configuration(watchdog())).not.toHaveProperty("queryLimit");
  });

  it("has nothing to watch with Cilium", () => {
    expect(() => watchdog({}, { kubeProxyMode: "none", cni: "cilium" })).toThrow("test/watchdog has nothing to watch");
  });
});

it("cleanup exists only for a cache that is being removed", () => {
  expect(() => cleanup({ state: "enabled" })).toThrow("test/cleanup has nothing to clean up");
});
