import { expect, it } from "vitest";
import { problemsOf } from "./problems";

it("metrics are read from namespaces that can exist", () => {
  expect(problemsOf({ networkPolicies: { metricsNamespaces: ["monitoring"] } })).toEqual([]);
  expect(problemsOf({ networkPolicies: { metricsNamespaces: ["monitoring", "a.b"] } })).toEqual([
    expect.stringMatching(/^networkPolicies\.metricsNamespaces\[1\]: "a\.b" is not the name of a namespace/),
  ]);
});
