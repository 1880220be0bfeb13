import { describe, expect, it } from "vitest";
import { ClusterDns } from "../../src/constructs/cluster-dns";
import { SmokeTest } from "../../src/constructs/smoke-test";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import { shapeProblems } from "../../src/model/syntax/shape";
import validate = require("../../src/model/smoke-test/validate");
import { rendererOf } from "./rendered";
import { cached } from "../cached";

const props: ClusterDnsProps = { ...cached, smokeTest: true };
const podJob = /cluster-dns-smoke-test-[0-9a-f]{10}/;
const hostJob = /cluster-dns-smoke-test-host-[0-9a-f]{10}/;

const cluster = rendererOf(ClusterDns, "dns", props);
const alone = rendererOf(SmokeTest, "smoke-test", props);

describe("SmokeTest", () => {
  it.each(Object.entries({ "75.5s": 76, "1m30.1s": 91, "10m": 600 }))(
    "with timeout %s ends after %d whole seconds",
    (timeout, seconds) => {
      const { object } = alone({ smokeTest: { timeout } });
      for (const name of [podJob, hostJob]) expect(object("Job", name).spec?.activeDeadlineSeconds).toBe(seconds);
    },
  );

  it("gives its program a configuration that the program accepts", () => {
    const { object } = alone({ stubDomains: { "corp.example": ["10.1.2.3"] } });
    const { data } = object("ConfigMap", /cluster-dns-smoke-test-.*/);
    expect(shapeProblems(validate, JSON.parse(String(data?.["config.json"])))).toEqual([]);
  });

  it("is refused if there is nothing to ask", () => {
    expect(() => alone({ smokeTest: false })).toThrow("test/smoke-test has nothing to ask; set smokeTest: true");
  });
});

// A Job that has ended is not run again, and no field that matters can change.
describe.each([
  ["beside the other components", cluster],
  ["in a chart of their own", alone],
])("the Jobs' names, %s", (_, rendered) => {
  const jobs = (more?: Partial<ClusterDnsProps>) => rendered(more).names.filter((name) => name.startsWith("Job "));

  it.each<[what: string, more: Partial<ClusterDnsProps>]>([
    ["nothing else", {}],
    ["what no query meets", { monitoring: { monitors: "annotations" }, gitops: { flux: {} } }],
  ])("stay with %s", (_what, more) => {
    expect(jobs()).toHaveLength(2);
    expect(jobs(more)).toEqual(jobs());
  });

  it.each<[what: string, more: Partial<ClusterDnsProps>]>([
    ["another component's configuration", { nodeLocalDNS: { cache: { success: { ttl: 20 } } } }],
    ["another component's image", { authoritativeDNS: { image: "coredns:v1.14.8" } }],
    ["a component that leaves", { nodeLocalDNS: { watchdog: false } }],
    ["their own questions", { smokeTest: { outsideName: "www.example.com" } }],
    ["their own pods", { smokeTest: { timeout: "2m" } }],
  ])("change with %s", (_what, more) => expect(jobs(more).filter((name) => jobs().includes(name))).toEqual([]));
});
