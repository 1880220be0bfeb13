import { expect, it } from "vitest";
import { agentImage, problemsOf } from "./problems";

it("accepts true, false and options", () => {
  const options = { outsideName: "1.www.example.com.", timeout: "2m", nodePlacement: { nodeSelector: {} } };
  for (const smokeTest of [true, false, {}, options]) expect(problemsOf({ agentImage, smokeTest })).toEqual([]);
});

it("needs the agent's image, and says why", () => {
  expect(problemsOf({ smokeTest: true }).join()).toMatch(/^smokeTest: needs agentImage: the smoke test runs from it/);
  expect(problemsOf({ smokeTest: false })).toEqual([]);
});

const others = ["www example.com", "10.1.2.3", "10.1.2.3.", "localhost", "localhost.", "fd00::1"];
it.each([
  ...others.map((name) => [name, "is not a DNS name outside; accepted: one with a dot, such as www.example.com"]),
  ["a.default.svc.cluster.local", "is in the cluster domain, whose names are asked anyway"],
])("refuses %s as a name outside: %s", (outsideName = "", message = "") => {
  const [problem = ""] = problemsOf({ agentImage, smokeTest: { outsideName } });
  expect(problem).toContain(`smokeTest.outsideName: "${outsideName}" ${message}`);
});

it("refuses a timeout that its own waits may exceed", () => {
  const slow = { agentImage, "nodeLocalDNS.watchdogThresholds.probeInterval": "10s" };
  const message = /^smokeTest.timeout: "90s" is too short: the waits of a Job may add up to \d+ s/;
  expect(problemsOf({ ...slow, smokeTest: {} })).toEqual([expect.stringMatching(message)]);
  expect(problemsOf({ ...slow, smokeTest: { timeout: "10m" } })).toEqual([]);
});
