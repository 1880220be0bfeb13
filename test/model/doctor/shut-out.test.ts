import { expect, it } from "vitest";
import { described, found, healthy, measured, policy, props } from "./healthy";

const is = healthy();
const silent = measured("cluster_dns_up 0");

/** What is found with these policies of all pods of kube-system, if not all watchdogs are answered. */
const withPolicies = (...specs: readonly object[]) => {
  const networkPolicies = specs.map((spec, i) => {
    const each = policy(`p-${i}`);
    return { ...each, spec: { ...each.spec, ...spec } };
  });
  return found({ networkPolicies, ...silent }).flatMap(({ id, evidence }) =>
    id.startsWith("shut-out") ? [[id, evidence[0]]] : [],
  );
};

const shut = (by: string) => [
  ["shut-out", `selects pods of the cluster DNS, and no policy of theirs lets in queries by ${by}`],
];
const allowing = (...ports: object[]) => ({ policyTypes: ["Ingress"], ingress: [{ ports }] });
const both = allowing({ port: 53, protocol: "UDP" }, { port: 53, protocol: "TCP" });
const none = { policyTypes: ["Ingress"], ingress: [] };

it.each<[string, specs: object[], expected: unknown[]]>([
  ["nothing in", [none], shut("UDP and TCP")],
  ["nothing in, without policyTypes", [{}], shut("UDP and TCP")],
  ["another port in", [allowing({ port: 9153 })], shut("UDP and TCP")],
  ["a port without a protocol in, which is of TCP", [allowing({ port: 53 })], shut("UDP")],
  ["queries in", [both], []],
  ["a range in", [allowing({ port: 1, endPort: 99 }, { port: 1, endPort: 99, protocol: "UDP" })], []],
  ["every port of a protocol in", [allowing({ protocol: "UDP" }, { protocol: "TCP" })], []],
  ["ports by name in", [allowing({ port: "dns", protocol: "UDP" }, { port: "dns-tcp" })], []],
  ["everything in", [{ ingress: [{}] }], []],
  ["nothing in, where another lets queries in", [none, both], []],
  ["nothing out", [{ policyTypes: ["Egress"] }], []],
])("policies that let %s", (_, specs, expected) => expect(withPolicies(...specs)).toEqual(expected));

it("a policy of all pods is no fault beside the rendered ones, and none of other pods is", () => {
  const from = described({ ...props, networkPolicies: true });
  const networkPolicies = [...(healthy(from).networkPolicies ?? []), policy("all"), policy("other", { app: "other" })];
  expect(found({ networkPolicies }, from)).toEqual([]);
});

it.each([
  ["watchdogs are answered all the same", is.metrics],
  // Policies of Cilium, which are not read, may let queries in.
  ["no watchdog tells", new Map()],
])("is a warning where %s", (_, metrics) => {
  expect(found({ networkPolicies: [policy("all")], metrics })).toMatchObject([{ id: "shut-out-aside" }]);
});
