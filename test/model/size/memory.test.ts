import { describe, expect, it } from "vitest";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import type { Resources } from "../../../src/model/props/placement";
import { parseQuantity } from "../../../src/model/syntax/quantity";
import { cached, componentOf } from "../../cached";

type Component = "authoritativeDns" | "nodeLocalDns";

function resourcesOf(component: Component, props: Partial<ClusterDnsProps> = {}): Resources {
  return componentOf(component, { ...cached, ...props }).resources;
}

function mebi(component: Component, kind: "requests" | "limits", props?: Partial<ClusterDnsProps>): number {
  const quantity = parseQuantity(resourcesOf(component, props)[kind]?.["memory"] ?? "");
  return Number((quantity?.nanos ?? 0n) / 1_000_000_000n) / 2 ** 20;
}

const keeping = (capacity: number) => ({ cache: { success: { capacity } } });

// How much it is: page.test.ts.
describe.each(["authoritativeDns", "nodeLocalDns"] as const)("the memory of %s", (component) => {
  it.each<[what: string, props: Partial<ClusterDnsProps>]>([
    ["nodes, and so pods", { size: { nodes: 1000 } }],
    ["pods", { size: { pods: 30_000 } }],
    ["the caches", { authoritativeDNS: keeping(4096), nodeLocalDNS: keeping(20_000) }],
  ])("grows with %s", (_, props) => {
    expect(mebi(component, "limits", props)).toBeGreaterThan(mebi(component, "limits"));
  });

  it("is what the user sets", () => {
    const resources = { limits: { memory: "2Gi" } };
    expect(resourcesOf(component, { authoritativeDNS: { resources }, nodeLocalDNS: { resources } })).toEqual(resources);
  });
});

describe("the memory of authoritative DNS", () => {
  // kubernetes#139117: 170Mi is too little with 5,000 nodes, once the API server was restarted.
  it("is more than kubeadm's in a cluster of 5,000 nodes, usually already", () => {
    expect(mebi("authoritativeDns", "requests", { size: { nodes: 5000 } })).toBeGreaterThan(170);
  });

  const more = [{ size: { services: 10_000 } }, { authoritativeDNS: { pods: "verified" } }] as const;
  it.each<Partial<ClusterDnsProps>>(more)("grows with Services, and with all pods if they are verified: %j", (props) =>
    expect(mebi("authoritativeDns", "limits", props)).toBeGreaterThan(mebi("authoritativeDns", "limits")),
  );

  it("holds all pods once for each `kubernetes` of Corefile text that verifies them", () => {
    const blocks = (pods: string) => `a.example {\n kubernetes cluster.local {\n  pods ${pods}\n }\n}`;
    const of = (pods: "insecure" | "verified") => ({ pods, corefile: { blocks: blocks(pods) } });
    const [none, one, both] = [of("insecure"), { ...of("verified"), pods: "insecure" } as const, of("verified")].map(
      (authoritativeDNS) => mebi("authoritativeDns", "limits", { authoritativeDNS, size: { pods: 10_000 } }),
    );
    expect([(one ?? 0) - (none ?? 0), (both ?? 0) - (one ?? 0)].map((each) => Math.round(each / 10))).toEqual([23, 23]);
  });

  it("holds all Services once for each tenant identified by a label", () => {
    const tenants = [{ name: "a" }, { name: "b" }];
    const tenancy = { tenants, membership: "label", namespaceLabel: "example.com/tenant" } as const;
    const size = { services: 10_000 };
    const [alone, shared] = [{ size }, { size, tenancy }].map((props) => mebi("authoritativeDns", "requests", props));
    expect(shared).toBeGreaterThan((alone ?? 0) + 100);
  });
});

it("with engine: node-cache there is no limit, because its caches have no bound", () => {
  expect(resourcesOf("nodeLocalDns", { nodeLocalDNS: { engine: "node-cache" } })).not.toHaveProperty("limits");
});

it("positive answers are counted twice where two are kept", () => {
  const [one, two] = [false, true].map((preferPositive) => {
    const authoritativeDNS = { cache: { serveStale: { duration: "1h", preferPositive } } };
    return mebi("authoritativeDns", "limits", { authoritativeDNS });
  });
  expect(two).toBeGreaterThan((one ?? 0) + 60);
});

it("what a walk found is counted once for each kind of search path", () => {
  const nodeLocalDNS = { searchPath: { nodeDomains: [] } };
  const tenancy = { tenants: [{ name: "green", namespaces: ["shop"] }] };
  const limit = (props: Partial<ClusterDnsProps>) => mebi("nodeLocalDns", "limits", props);
  const more = limit({ nodeLocalDNS }) - limit({});
  expect(more).toBeGreaterThan(100);
  // Rounded up, each.
  expect(Math.abs(limit({ nodeLocalDNS, tenancy }) - limit({ nodeLocalDNS }) - more)).toBeLessThan(2);
});

it("a capacity counts as CoreDNS rounds it", () => {
  const limit = (capacity: number) => resourcesOf("authoritativeDns", { authoritativeDNS: keeping(capacity) }).limits;
  expect(limit(1279)).toEqual(limit(1024));
  expect(limit(1280)).not.toEqual(limit(1024));
});
