import { expect, it } from "vitest";
import { agentImage, beginnings, problemsOf } from "./problems";

it.each<[message: string, resources: object]>([
  ['requests.cpu: "1x" is not a quantity', { requests: { cpu: "1x" } }],
  ["requests.cpus: unknown resource; did you mean cpu?", { requests: { cpus: "1" } }],
  ['requests.memory: "1500m" is too fine', { requests: { memory: "1500m" } }],
  ['requests.cpu: "0.1m" is too fine', { requests: { cpu: "0.1m" } }],
  ['requests.memory: "2Gi" is more than', { requests: { memory: "2Gi" }, limits: { memory: "1Gi" } }],
  ["limits.cpu: -1 is not a quantity", { limits: { cpu: -1 } }],
  ['limits.memory: "10E" is not a quantity', { limits: { memory: "10E" } }],
  ["requests.nvidia.com/gpu: unknown resource", { requests: { "nvidia.com/gpu": 1 } }],
])("resources: what is refused, and what a user reads: %s", (message, resources) => {
  expect(beginnings(message, "authoritativeDNS.resources", resources)).toEqual([message]);
});

it.each<[what: string, resources: object]>([
  ["the same in two spellings", { requests: { memory: "1Gi" }, limits: { memory: "1024Mi" } }],
  ["numbers", { requests: { cpu: 0.5, memory: 73400320 } }],
  ["a request without a limit", { requests: { memory: "2Gi" }, limits: { cpu: 1 } }],
])("accepts %s", (_, resources) => expect(problemsOf({ "authoritativeDNS.resources": resources })).toEqual([]));

it("refuses a limit that the full cache outgrows", () => {
  expect(problemsOf({ agentImage, nodeLocalDNS: { resources: { limits: { memory: "30Mi" } } } })).toEqual([
    'nodeLocalDNS.resources.limits.memory: "30Mi" is less than it needs with full caches, 113Mi; raise it, or make the caches smaller',
  ]);
});
