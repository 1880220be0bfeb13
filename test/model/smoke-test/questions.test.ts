import { describe, expect, it } from "vitest";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import type { SmokeTestConfig } from "../../../src/model/smoke-test/smoke-test-config";
import { cached, componentOf } from "../../cached";

const facts: ClusterDnsProps = { ...cached, smokeTest: true };
const records = { www: { A: ["10.1.2.3"] } };
const zones = { "lab.example": { records }, "t.example": { templates: [{ rcode: "REFUSED" }] } } as const;

function config(props: Partial<ClusterDnsProps> = {}): SmokeTestConfig {
  return componentOf("smokeTest", { ...facts, ...props }).config;
}

/** `TYPE NAME EXPECTED`, without the domain. */
function asked(props?: Partial<ClusterDnsProps>): string[] {
  return config(props).questions.map(({ type, name, expect: expected, data }) =>
    [type, name, expected, ...(data ?? [])].join(" ").replaceAll("svc.cluster.local", "svc"),
  );
}

describe("the questions of the smoke test", () => {
  it("ask for the cluster's name in the first family", () =>
    expect(config({ clusterDNS: ["fd00:96::a"] }).clusterName.type).toBe("AAAA"));

  const upstreams = { upstreamNameservers: ["10.1.2.3"] };
  const smokeTest = { outsideName: "www.example.com" };
  const stubDomains = { "10.in-addr.arpa": ["10.1.2.3"] };
  const [unknown, known] = ["A cluster-dns-smoke-test answered", "A www.example.com records"];
  const reverse = "A 10.in-addr.arpa answered";
  it.each<[what: string, props: Partial<ClusterDnsProps>, questions: string[]]>([
    ["zones with records, but not with templates", { zones }, ["SOA lab.example records"]],
    ["upstreams that it names, and CoreDNS for a reverse name", upstreams, [unknown, reverse]],
    ["upstreams alone, if there is no cache", { ...upstreams, nodeLocalDNS: { state: "disabled" } }, [unknown]],
    ["a name outside in place of one that no upstream knows", { ...upstreams, smokeTest }, [known, reverse]],
    ["a stub domain with the reverse zone, which is nobody else's", { ...upstreams, stubDomains }, [reverse, unknown]],
    // Whether such a tenant has a namespace is unknown, and without one its zone does not exist.
    ["tenants by prefix", { tenancy: { membership: "prefix", tenants: [{ name: "green" }] } }, []],
  ])("have those for %s", (_, props, questions) => {
    expect(asked(props).filter((question) => !asked().includes(question))).toEqual(questions);
  });

  it("have no reverse names under hard isolation, which has none", () => {
    const tenancy = { isolation: "hard", tenants: [{ name: "green", namespaces: ["shop"] }] } as const;
    expect(asked({ tenancy, nodeLocalDNS: { state: "disabled" } }).join()).not.toContain("PTR");
  });
});

describe("the servers of the smoke test", () => {
  const withLink = (state: "enabled" | "draining" | "removed" = "enabled") =>
    ({ nodeLocalDNS: { interception: "link-local", state } }) as const;
  it.each<[what: string, props: Partial<ClusterDnsProps>, servers: string[], cache: string[] | undefined]>([
    ["draining", withLink("draining"), ["169.254.20.10", "10.96.0.10"], undefined],
    ["removed", withLink("removed"), ["10.96.0.10"], undefined],
    ["no cache", { nodeLocalDNS: { state: "disabled" } }, ["10.96.0.10"], undefined],
    // On a node without a cache, the cluster DNS answers.
    ["a cache on some nodes", { nodeLocalDNS: { nodePlacement: { tolerations: [] } } }, ["10.96.0.10"], []],
    ["Cilium", { cni: "cilium" }, ["10.96.0.10"], []],
  ])("with %s are those that pods may have, with the cache where it must answer", (_, props, servers, cache) => {
    const { linkLocal, service } = config(props).servers;
    expect([...linkLocal, ...service]).toEqual(servers);
    expect(config(props).cache?.servers).toEqual(cache);
  });
});

it("waits for the pods of before, and for what caches keep of them", () => {
  const settled = (props: Partial<ClusterDnsProps>) => config(props).settledAfterSeconds;
  const denial = (ttl: number) => ({ nodeLocalDNS: { cache: { denial: { ttl } } } });
  expect([settled(denial(2)), settled(denial(3600))]).toEqual([18, 25]);
  expect(settled({ ...denial(2), authoritativeDNS: { kind: "Existing" } })).toBe(8);
});

it("waits for the cache as long as its watchdog may take to find it mended", () => {
  const used = (watchdogThresholds: object) =>
    config({ nodeLocalDNS: { watchdogThresholds } }).cache?.usedWithinSeconds;
  expect([{}, { recoverAfter: "1m" }, { probeInterval: "2s", successes: 4 }].map(used)).toEqual([25, 70, 50]);
});
