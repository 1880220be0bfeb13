import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decidePodDns, type DnsPod, type OwnDnsConfig } from "../../../src/model/admission/pod-dns";
import { podRows, pods, rulesOf, wanted } from "./pod-table";

const [rules, strictRules] = [rulesOf(false), rulesOf(true)];
const tenants = wanted.searches.join(" ").length;

describe("decidePodDns", () => {
  it.each(podRows)("$name", ({ pod, expected, strict = expected }) => {
    expect(decidePodDns(pod, wanted, rules)).toEqual(expected);
    expect(decidePodDns(pod, wanted, strictRules)).toEqual(strict);
  });

  // The tenant has one server, and four searches.
  it.each<[what: string, dnsConfig: object, message: string | undefined]>([
    ["three servers", { nameservers: servers(2) }, undefined],
    [
      "four servers",
      { nameservers: servers(3) },
      "nameservers: 4 together with the 1 of the tenant, at most 3 are allowed; remove 1 of the pod's own",
    ],
    ["32 searches", { searches: searches(28) }, undefined],
    [
      "33 searches",
      { searches: searches(29) },
      "searches: 33 together with the 4 of the tenant, at most 32 are allowed; remove 1 of the pod's own",
    ],
    ["2048 characters", { searches: ["a".repeat(2048 - tenants - 1)] }, undefined],
    [
      "2049 characters",
      { searches: ["a".repeat(2048 - tenants)] },
      "searches: 2049 characters together with those of the tenant, at most 2048 are allowed; remove some of the pod's own",
    ],
  ])("limits what both have together: %s", (_what, dnsConfig, message) => {
    expect(decidePodDns({ spec: { dnsConfig } }, wanted, rules)).toMatchObject(
      message === undefined ? { action: "set" } : { action: "deny", message: `spec.dnsConfig.${message}` },
    );
  });

  it.each([
    ["six entries", searches(2), 0],
    ["seven entries", searches(3), 1],
    ["256 characters", ["a".repeat(256 - tenants - 1)], 0],
    ["257 characters", ["a".repeat(256 - tenants)], 1],
  ])("warns of what old resolvers do not read: %s", (_what, own, count) => {
    const decision = decidePodDns({ spec: { dnsConfig: { searches: own } } }, wanted, rules);
    expect(decision).toMatchObject({ action: "set", warnings: { length: count } });
  });

  it("f(f(pod)) = f(pod), the tenant's entries come first, and nothing of the pod's own is lost", () => {
    fc.assert(
      fc.property(pods, (pod) => {
        const decision = decidePodDns(pod, wanted, rules);
        if (decision.action !== "set") return;
        const { dnsConfig } = decision;
        const own = pod.spec.dnsConfig ?? {};
        expect(decidePodDns(decided(pod, dnsConfig), wanted, rules)).toEqual({ action: "leave" });
        expectTenantFirst(dnsConfig);
        for (const key of ["nameservers", "searches", "options"] as const)
          expect(dnsConfig[key]).toEqual(expect.arrayContaining([...(own[key] ?? [])]));
        expect(dnsConfig.options?.filter(({ name }) => name === "ndots").length).toBeGreaterThan(0);
      }),
    );
  });

  it("strict: f(f(pod)) = f(pod), and every pod has the documented search list and ndots", () => {
    fc.assert(
      fc.property(pods, (pod) => {
        const decision = decidePodDns(pod, wanted, strictRules);
        const isMirror = pod.metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined;
        expect(decision.action === "leave").toBe(isMirror);
        if (decision.action !== "set") return;
        const { dnsConfig } = decision;
        expect(decidePodDns(decided(pod, dnsConfig), wanted, strictRules)).toEqual(decision);
        expectTenantFirst(dnsConfig);
        expect(dnsConfig.searches?.slice(4).filter((search) => search.endsWith("cluster.local"))).toEqual([]);
        expect(dnsConfig.options?.filter(({ name }) => name === "ndots")).toEqual(wanted.options);
      }),
    );
  });
});

function decided(pod: DnsPod, dnsConfig: OwnDnsConfig): DnsPod {
  return { ...pod, spec: { ...pod.spec, dnsPolicy: "None", dnsConfig } };
}

function expectTenantFirst(config: OwnDnsConfig): void {
  expect(config.nameservers?.slice(0, 1)).toEqual(wanted.nameservers);
  expect(config.searches?.slice(0, 4)).toEqual(wanted.searches);
}

function servers(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `192.0.2.${i + 1}`);
}

function searches(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${i}.x`);
}
