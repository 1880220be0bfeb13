import { describe, expect, it } from "vitest";
import { AuthoritativeDns } from "../../src/constructs/authoritative-dns";
import type { AutoscalerOptions } from "../../src/model/props/authoritative-dns";
import { render } from "./rendered";
import { cached } from "../cached";

function scaled(autoscaler: AutoscalerOptions = {}) {
  return render((chart) => new AuthoritativeDns(chart, "dns", { ...cached, authoritativeDNS: { autoscaler } }));
}

function linear(autoscaler?: AutoscalerOptions): unknown {
  return JSON.parse(String(scaled(autoscaler).object("ConfigMap", "dns-autoscaler").data?.linear));
}

describe("the linear mode", () => {
  // preventSinglePointFailure means at least two pods on more than one node, whatever min is.
  it("may stay at one pod if min is 1", () => {
    expect(linear({ min: 1 })).toMatchObject({ min: 1, preventSinglePointFailure: false });
  });
});
