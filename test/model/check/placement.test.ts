import { describe, expect, it } from "vitest";
import { agentImage, problemsOf } from "./problems";

describe("selectors and tolerations, as the API server accepts them: what is refused, and the message", () => {
  it.each<[message: string, nodePlacement: object]>([
    ['nodeSelector.node role: "node role" is not a', { nodeSelector: { "node role": "x" } }],
    ['nodeSelector.a/b/c: "a/b/c" is not a', { nodeSelector: { "a/b/c": "x" } }],
    ['nodeSelector.Example.com/role: "Example.com/role" is', { nodeSelector: { "Example.com/role": "x" } }],
    ['nodeSelector.role: "x y" is not a label', { nodeSelector: { role: "x y" } }],
    ['nodeSelector.role: "-x" is not a label', { nodeSelector: { role: "-x" } }],
    ['nodeSelector.role: "xxxxxxxxxxxxxxxxxxxxx', { nodeSelector: { role: "x".repeat(64) } }],
    ['nodeSelector.constructor: "constructor" cannot', { nodeSelector: { constructor: "x" } }],
    ["tolerations[0]: has no key", { tolerations: [{}] }],
    ["tolerations[0]: has no key", { tolerations: [{ operator: "Equal", value: "x" }] }],
    ['tolerations[0].key: "dns only" is not a', { tolerations: [{ key: "dns only", operator: "Exists" }] }],
    ['tolerations[0].value: "x" is not accepted', { tolerations: [{ key: "dns", operator: "Exists", value: "x" }] }],
    ['tolerations[0].value: "x y" is not a taint', { tolerations: [{ key: "dns-only", value: "x y" }] }],
    ["tolerations[0].tolerationSeconds: 5 is only accepted", { tolerations: [{ key: "a", tolerationSeconds: 5 }] }],
    ["tolerations[0].tolerationSeconds: ", { tolerations: [{ key: "a", effect: "NoSchedule", tolerationSeconds: 5 }] }],
    ['tolerations[0].value: "x" is not a whole', { tolerations: [{ key: "cost", operator: "Gt", value: "x" }] }],
    ['tolerations[0].value: "007" is not a whole', { tolerations: [{ key: "cost", operator: "Gt", value: "007" }] }],
    [`tolerations[0].value: "${2n ** 63n}"`, { tolerations: [{ key: "a", operator: "Lt", value: `${2n ** 63n}` }] }],
  ])("%s", (message, nodePlacement) => {
    const problems = problemsOf({ kubernetesVersion: "1.36", authoritativeDNS: { nodePlacement } });
    expect(problems).toEqual([expect.stringContaining(`authoritativeDNS.nodePlacement.${message}`)]);
  });

  it.each<[at: string, nodeSelector: object]>([
    ["admission.webhook", { a: "x y" }],
    ["nodeLocalDNS", { "kubernetes.io/os": "windows" }],
  ])("of %s", (at, nodeSelector) => {
    const selector = `${at}.nodePlacement.nodeSelector`;
    const props = { agentImage, "admission.allowedUsers": ["a"], [selector]: nodeSelector };
    expect(problemsOf(props)).toEqual([expect.stringContaining(`${selector}.`)]);
  });
});

it.each<[what: string, nodePlacement: object]>([
  ["a role without a value", { nodeSelector: { "node-role.kubernetes.io/infra": "" } }],
  ["every taint", { tolerations: [{ operator: "Exists" }] }],
  ["every taint, of an effect", { tolerations: [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }] }],
  ["a key whose value is empty", { tolerations: [{ key: "dns-only" }] }],
  ["the smallest number", { tolerations: [{ key: "cost", operator: "Gt", value: "-9223372036854775808" }] }],
])("accepts %s", (_, nodePlacement) => {
  expect(problemsOf({ kubernetesVersion: "1.36", authoritativeDNS: { nodePlacement } })).toEqual([]);
});
