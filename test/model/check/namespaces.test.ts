import { expect, it } from "vitest";
import { problemsOf } from "./problems";

it.each<[path: string, props: (namespace: string) => object]>([
  ["networkPolicies.metricsNamespaces[0]", (namespace) => ({ networkPolicies: { metricsNamespaces: [namespace] } })],
  ["monitoring.namespace", (namespace) => ({ monitoring: { namespace } })],
  ["gitops.flux.namespace", (namespace) => ({ gitops: { flux: { namespace } } })],
])("%s is one that can exist", (path, props) => {
  expect(problemsOf(props("a.b"))).toEqual([
    `${path}: "a.b" is not the name of a namespace; accepted: lower case letters, digits and -, at most 63`,
  ]);
  expect(problemsOf(props("a-b"))).toEqual([]);
});
