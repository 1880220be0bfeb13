import { describe, expect, it } from "vitest";
import { problemsOf } from "./problems";

describe("resources: what is refused, and what a user reads", () => {
  it.each<[message: string, props: object]>([
    [
      'authoritativeDNS.resources.requests.cpu: "1x" is not a quantity',
      { "authoritativeDNS.resources.requests.cpu": "1x" },
    ],
    [
      "authoritativeDNS.resources.requests.cpus: unknown resource; did you mean cpu?",
      { "authoritativeDNS.resources.requests.cpus": "1" },
    ],
    [
      'authoritativeDNS.resources.requests.memory: "1500m" is too fine',
      { "authoritativeDNS.resources.requests.memory": "1500m" },
    ],
    [
      'authoritativeDNS.resources.requests.cpu: "0.1m" is too fine',
      { "authoritativeDNS.resources.requests.cpu": "0.1m" },
    ],
    [
      'authoritativeDNS.resources.requests.memory: "2Gi" is more than',
      { "authoritativeDNS.resources": { requests: { memory: "2Gi" }, limits: { memory: "1Gi" } } },
    ],
    ["authoritativeDNS.resources.limits.cpu: -1 is not a quantity", { "authoritativeDNS.resources.limits.cpu": -1 }],
    [
      "authoritativeDNS.resources.limits.memory: true is a boolean",
      { "authoritativeDNS.resources.limits.memory": true },
    ],
    ['authoritativeDNS.resources.limits.memory: "10E" is not a', { "authoritativeDNS.resources.limits.memory": "10E" }],
    [
      "authoritativeDNS.resources.requests.nvidia.com/gpu: unknown resource",
      { "authoritativeDNS.resources.requests": { "nvidia.com/gpu": 1 } },
    ],
  ])("%s", (message, props) => expect(problemsOf(props)).toEqual([expect.stringContaining(message)]));
});

it.each<[what: string, props: object]>([
  [
    "the same in two spellings",
    { "authoritativeDNS.resources": { requests: { memory: "1Gi" }, limits: { memory: "1024Mi" } } },
  ],
  ["numbers", { "authoritativeDNS.resources.requests": { cpu: 0.5, memory: 73400320 } }],
  ["a request without a limit", { "authoritativeDNS.resources": { requests: { memory: "2Gi" }, limits: { cpu: 1 } } }],
])("accepts %s", (_, props) => expect(problemsOf(props)).toEqual([]));

it("refuses a limit that the full cache outgrows", () => {
  expect(
    problemsOf({ agentImage: "registry.example/agent:1", nodeLocalDNS: { resources: { limits: { memory: "30Mi" } } } }),
  ).toEqual([
    'nodeLocalDNS.resources.limits.memory: "30Mi" is less than it needs with full caches, 113Mi; raise it, or make the caches smaller',
  ]);
});
