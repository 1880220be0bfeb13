import { describe, expect, it } from "vitest";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { NodeLocalDnsOptions } from "../../../src/model/props/node-local-dns";
import type { Resources } from "../../../src/model/props/placement";

function notes(resources: Resources): readonly string[] {
  return clusterOf({
    clusterDNS: ["10.96.0.10"],
    kubeProxyMode: "iptables",
    agentImage: "registry.example/agent:1",
    authoritativeDNS: { resources },
  }).notes;
}

describe("without agentImage", () => {
  const facts = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "nftables" } as const;

  it("one line says what upstream's cache gives, what agentImage adds, and how to keep it", () => {
    expect(clusterOf(facts).notes).toEqual([
      "every node has upstream's node-cache, without failover: while a killed one restarts, or one hangs, its pods have no DNS; with agentImage the cluster DNS answers them (docs/failover.md of cdk8s-cluster-dns). To keep node-cache, set nodeLocalDNS: {engine: node-cache}",
    ]);
    expect(clusterOf({ ...facts, kubeProxyMode: "ipvs" }).notes).toEqual([
      expect.stringContaining("while one is replaced, restarts or hangs"),
    ]);
  });

  it("two IP families have no cache, and one line says why", () => {
    expect(clusterOf({ ...facts, clusterDNS: ["10.96.0.10", "fd00:96::a"] }).notes).toEqual([
      "no node cache: clusterDNS has two IP families, and upstream's node-cache serves one; agentImage gives a cache for both (or set nodeLocalDNS: {state: disabled})",
    ]);
  });

  it("a cluster DNS of somebody else must have the pods that the cache asks", () => {
    const existing = {
      ...facts,
      authoritativeDNS: { kind: "Existing" },
      nodeLocalDNS: { engine: "node-cache" },
    } as const;
    expect(clusterOf(existing).notes).toEqual([expect.stringContaining("k8s-app: kube-dns, on port 53")]);
  });

  it.each<NodeLocalDnsOptions>([{ engine: "node-cache" }, { state: "disabled" }])("%j is what was wanted", (said) => {
    expect(clusterOf({ ...facts, nodeLocalDNS: said }).notes).toEqual([]);
  });
});

it.each<[note: string, resources: Resources]>([
  [
    "authoritativeDNS.resources.limits.memory: 170 is 170 bytes; 170Mi was probably meant",
    { limits: { memory: 170, cpu: "500m" } },
  ],
  [
    "authoritativeDNS.resources.requests.memory: 70k is 70000 bytes",
    { requests: { memory: "70k" }, limits: { memory: "70Mi" } },
  ],
  [
    "authoritativeDNS.resources.requests.ephemeral-storage: 5 is 5 bytes; 5Mi was probably meant",
    { requests: { "ephemeral-storage": "5" } },
  ],
  [
    "authoritativeDNS.resources.requests.cpu: 100 is 100 whole CPUs; 100m was probably meant",
    { requests: { cpu: 100 } },
  ],
])("a quantity without its unit is reported: %s", (note, resources) => {
  expect(notes(resources)).toContain(note);
});

it("usual quantities are not reported", () => {
  expect(notes({ requests: { cpu: 2, memory: "70Mi" }, limits: { cpu: "16", memory: 1073741824 } })).toEqual([]);
  expect(notes({ requests: { cpu: 0, memory: 0 } })).toEqual([]);
});

it("a memory limit that a flood of large answers exceeds is reported, with the limit needed", () => {
  expect(notes({ limits: { memory: "170Mi" } })).toEqual([
    expect.stringMatching(
      /^authoritativeDNS\.resources\.limits\.memory 170Mi is less than the worst case, \d+Mi; see docs\/memory\.md of cdk8s-cluster-dns$/,
    ),
  ]);
});
