import { describe, expect, it } from "vitest";
import validate = require("../../src/model/agent-config/validate");
import { Cleanup } from "../../src/constructs/cleanup";
import { Watchdog } from "../../src/constructs/watchdog";
import type { NodeLocalDnsOptions } from "../../src/model/props/node-local-dns";
import { shapeProblems } from "../../src/model/syntax/shape";
import { cached } from "../cached";
import { rendererOf } from "./rendered";

const watchdog = rendererOf(Watchdog, "watchdog", cached);

function configuration(nodeLocalDNS: NodeLocalDnsOptions = {}): unknown {
  const { data } = watchdog({ nodeLocalDNS }).object("ConfigMap", /.*/);
  return JSON.parse(String(data?.["config.json"]));
}

describe("the watchdog", () => {
  it("passes on thresholds with every default, durations in milliseconds", () => {
    const config = configuration({ watchdogThresholds: { failures: 5, probeInterval: "1.5s" } });
    expect(config).toMatchObject({ thresholds: { failures: 5, probeIntervalMs: 1500, windowMs: 60_000 } });
    expect(shapeProblems(validate, config)).toEqual([]);
  });

  it("passes on a limit of queries, and nothing without one", () => {
    expect(configuration({ queryLimit: 100 })).toMatchObject({ queryLimit: 100 });
    expect(configuration()).not.toHaveProperty("queryLimit");
  });

  it("has nothing to watch with Cilium", () => {
    expect(() => watchdog({ kubeProxyMode: "none", cni: "cilium" })).toThrow("test/watchdog has nothing to watch");
  });
});

it("cleanup exists only for a cache that is being removed", () => {
  expect(rendererOf(Cleanup, "cleanup", cached)).toThrow("test/cleanup has nothing to clean up");
});
