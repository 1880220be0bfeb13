import { describe, expect, it } from "vitest";
import { problemsOf } from "./problems";

describe("selectors and tolerations, as the API server accepts them: what is refused, and the message", () => {
  it.each<[message: string, props: object]>([
    [
      'authoritativeDNS.nodePlacement.nodeSelector.node role: "node role" is not a valid key; accepted: [PREFIX/]NAME, NAME at most 63 letters, digits, - _ and ., PREFIX a DNS subdomain',
      { authoritativeDNS: { nodePlacement: { nodeSelector: { "node role": "x" } } } },
    ],
    [
      'authoritativeDNS.nodePlacement.nodeSelector.a/b/c: "a/b/c" is not a valid key; accepted: [PREFIX/]NAME, NAME at most 63 letters, digits, - _ and ., PREFIX a DNS subdomain',
      { authoritativeDNS: { nodePlacement: { nodeSelector: { "a/b/c": "x" } } } },
    ],
    [
      'authoritativeDNS.nodePlacement.nodeSelector.Example.com/role: "Example.com/role" is not a valid key; accepted: [PREFIX/]NAME, NAME at most 63 letters, digits, - _ and ., PREFIX a DNS subdomain',
      { authoritativeDNS: { nodePlacement: { nodeSelector: { "Example.com/role": "x" } } } },
    ],
    [
      'authoritativeDNS.nodePlacement.nodeSelector.role: "x y" is not a label value; accepted: at most 63 letters, digits, - _ and ., a letter or digit first and last',
      { authoritativeDNS: { nodePlacement: { nodeSelector: { role: "x y" } } } },
    ],
    [
      'admission.webhook.nodePlacement.nodeSelector.role: "x y" is not a label value; accepted: at most 63 letters, digits, - _ and ., a letter or digit first and last',
      {
        agentImage: "registry.example/agent:1",
        admission: { allowedUsers: ["a"], webhook: { nodePlacement: { nodeSelector: { role: "x y" } } } },
      },
    ],
    [
      'authoritativeDNS.nodePlacement.nodeSelector.role: "-x" is not a label value; accepted: at most 63 letters, digits, - _ and ., a letter or digit first and last',
      { authoritativeDNS: { nodePlacement: { nodeSelector: { role: "-x" } } } },
    ],
    [
      'authoritativeDNS.nodePlacement.nodeSelector.role: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" is not a label value; accepted: at most 63 letters, digits, - _ and ., a letter or digit first and last',
      { authoritativeDNS: { nodePlacement: { nodeSelector: { role: "x".repeat(64) } } } },
    ],
    [
      'authoritativeDNS.nodePlacement.nodeSelector.constructor: "constructor" cannot be written as a key; add a prefix, as in example.com/constructor',
      { authoritativeDNS: { nodePlacement: { nodeSelector: { constructor: "x" } } } },
    ],
    [
      'nodeLocalDNS.nodePlacement.nodeSelector.kubernetes.io/os: "windows" selects nodes on which these pods cannot run: they are Linux; accepted: linux',
      {
        agentImage: "registry.example/agent:1",
        nodeLocalDNS: { nodePlacement: { nodeSelector: { "kubernetes.io/os": "windows" } } },
      },
    ],
    [
      "authoritativeDNS.nodePlacement.tolerations[0]: has no key; name one, or set operator: Exists to tolerate every taint",
      { kubernetesVersion: "1.36", authoritativeDNS: { nodePlacement: { tolerations: [{}] } } },
    ],
    [
      "authoritativeDNS.nodePlacement.tolerations[0]: has no key; name one, or set operator: Exists to tolerate every taint",
      {
        kubernetesVersion: "1.36",
        authoritativeDNS: { nodePlacement: { tolerations: [{ operator: "Equal", value: "x" }] } },
      },
    ],
    [
      'authoritativeDNS.nodePlacement.tolerations[0].key: "dns only" is not a taint key; accepted: [PREFIX/]NAME',
      {
        kubernetesVersion: "1.36",
        authoritativeDNS: { nodePlacement: { tolerations: [{ key: "dns only", operator: "Exists" }] } },
      },
    ],
    [
      'authoritativeDNS.nodePlacement.tolerations[0].value: "x" is not accepted with operator: Exists; leave it out',
      {
        kubernetesVersion: "1.36",
        authoritativeDNS: { nodePlacement: { tolerations: [{ key: "dns-only", operator: "Exists", value: "x" }] } },
      },
    ],
    [
      'authoritativeDNS.nodePlacement.tolerations[0].value: "x y" is not a taint value',
      {
        kubernetesVersion: "1.36",
        authoritativeDNS: { nodePlacement: { tolerations: [{ key: "dns-only", value: "x y" }] } },
      },
    ],
    [
      "authoritativeDNS.nodePlacement.tolerations[0].tolerationSeconds: 5 is only accepted with effect: NoExecute",
      {
        kubernetesVersion: "1.36",
        authoritativeDNS: { nodePlacement: { tolerations: [{ key: "dns-only", tolerationSeconds: 5 }] } },
      },
    ],
    [
      "authoritativeDNS.nodePlacement.tolerations[0].tolerationSeconds: 5 is only accepted with effect: NoExecute",
      {
        kubernetesVersion: "1.36",
        authoritativeDNS: {
          nodePlacement: { tolerations: [{ key: "dns-only", effect: "NoSchedule", tolerationSeconds: 5 }] },
        },
      },
    ],
    [
      'authoritativeDNS.nodePlacement.tolerations[0].value: "x" is not a whole number, as operator: Gt requires',
      {
        kubernetesVersion: "1.36",
        authoritativeDNS: { nodePlacement: { tolerations: [{ key: "cost", operator: "Gt", value: "x" }] } },
      },
    ],
    [
      'authoritativeDNS.nodePlacement.tolerations[0].value: "007" is not a whole number, as operator: Gt requires',
      {
        kubernetesVersion: "1.36",
        authoritativeDNS: { nodePlacement: { tolerations: [{ key: "cost", operator: "Gt", value: "007" }] } },
      },
    ],
    [
      'authoritativeDNS.nodePlacement.tolerations[0].value: "9223372036854775808" is not a whole number, as operator: Lt requires',
      {
        kubernetesVersion: "1.36",
        authoritativeDNS: {
          nodePlacement: { tolerations: [{ key: "cost", operator: "Lt", value: "9223372036854775808" }] },
        },
      },
    ],
    [
      'authoritativeDNS.nodePlacement.tolerations[0].operator: "Exist" is not one of Exists, Equal, Gt, Lt; did you mean Exists?',
      {
        kubernetesVersion: "1.36",
        authoritativeDNS: { nodePlacement: { tolerations: [{ key: "dns-only", operator: "Exist" }] } },
      },
    ],
    [
      'authoritativeDNS.nodePlacement.tolerations[0].effect: "NoSchedul" is not one of NoSchedule, PreferNoSchedule, NoExecute; did you mean NoSchedule?',
      {
        kubernetesVersion: "1.36",
        authoritativeDNS: { nodePlacement: { tolerations: [{ key: "dns-only", effect: "NoSchedul" }] } },
      },
    ],
    [
      "authoritativeDNS.nodePlacement.tolerations[0].tolerationSeconds: 1e+300 is too large; accepted: a whole number, 0 to 9007199254740991",
      {
        kubernetesVersion: "1.36",
        authoritativeDNS: {
          nodePlacement: { tolerations: [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: 1e300 }] },
        },
      },
    ],
  ])("%s", (message, props) => {
    expect(problemsOf(props)).toEqual([message]);
  });
});

it.each<[what: string, props: object]>([
  [
    "a role without a value",
    { authoritativeDNS: { nodePlacement: { nodeSelector: { "node-role.kubernetes.io/infra": "" } } } },
  ],
  [
    "every taint",
    { kubernetesVersion: "1.36", authoritativeDNS: { nodePlacement: { tolerations: [{ operator: "Exists" }] } } },
  ],
  [
    "every taint with an effect",
    {
      kubernetesVersion: "1.36",
      authoritativeDNS: {
        nodePlacement: { tolerations: [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }] },
      },
    },
  ],
  [
    "a key whose value is empty",
    { kubernetesVersion: "1.36", authoritativeDNS: { nodePlacement: { tolerations: [{ key: "dns-only" }] } } },
  ],
  [
    "the smallest number",
    {
      kubernetesVersion: "1.36",
      authoritativeDNS: {
        nodePlacement: { tolerations: [{ key: "cost", operator: "Gt", value: "-9223372036854775808" }] },
      },
    },
  ],
])("accepts %s", (_, props) => {
  expect(problemsOf(props)).toEqual([]);
});
