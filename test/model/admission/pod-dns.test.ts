import fc from "fast-check";
import { expect, it } from "vitest";
import { decidePodDns, type DnsPod, type PodDns, type PodDnsDecision } from "../../../src/model/admission/pod-dns";
import { all, podDnsOf, podRows, pods, wanted } from "./pod-table";

const [podDns, strict] = [podDnsOf(false), podDnsOf(true)];
const [bar, free] = [{ name: "bar" }, { name: "free" }];
const tenants = wanted.searches.join(" ").length;

it.each(podRows)("$name", ({ pod, expected, strict: ifStrict = expected, free: added = all.options }) => {
  expect(decidePodDns(pod, podDns, bar)).toEqual(expected);
  expect(decidePodDns(pod, strict, bar)).toEqual(ifStrict);
  const { options = [], ...own } = pod.spec.dnsConfig ?? {};
  const dnsConfig = { ...own, options: [...options, ...added] };
  expect(decidePodDns(pod, { all }, free)).toEqual(
    added.length > 0 ? { action: "set", dnsConfig, warnings: [] } : { action: "leave" },
  );
});

it.each([
  ["of a tenant: its ndots, and the other options", "bar", ["ndots 6", "single-request-reopen"]],
  ["of no tenant: all", "free", ["ndots 2", "single-request-reopen"]],
  ["excluded: none", "excluded", []],
  ["where DNS itself is: none", "kube-system", []],
])("options, in a namespace %s", (_what, name, expected) => {
  const decision = decidePodDns({ spec: {} }, { ...podDns, all }, { name });
  const { options = [] } = decision.action === "set" ? decision.dnsConfig : {};
  expect(options.map((option) => [option.name, option.value].filter(Boolean).join(" "))).toEqual(expected);
});

// The tenant has one server, and four searches.
const together = (count: string, whose: string, most: number, remedy: string) =>
  `spec.dnsConfig.${count} together with ${whose} of the tenant, at most ${most} are allowed; remove ${remedy} of the pod's own`;
it.each<[what: string, fits: object, exceeds: object, message: string]>([
  ["servers", { nameservers: servers(2) }, { nameservers: servers(3) }, together("nameservers: 4", "the 1", 3, "1")],
  ["searches", { searches: searches(28) }, { searches: searches(29) }, together("searches: 33", "the 4", 32, "1")],
  [
    "characters",
    { searches: ["a".repeat(2048 - tenants - 1)] },
    { searches: ["a".repeat(2048 - tenants)] },
    together("searches: 2049 characters", "those", 2048, "some"),
  ],
])("limits what both have together: %s", (_what, fits, exceeds, message) => {
  expect(decidePodDns({ spec: { dnsConfig: fits } }, podDns, bar)).toMatchObject({ action: "set" });
  expect(decidePodDns({ spec: { dnsConfig: exceeds } }, podDns, bar)).toMatchObject({ action: "deny", message });
});

it.each([
  ["six entries", searches(2), 0],
  ["seven entries", searches(3), 1],
  ["256 characters", ["a".repeat(256 - tenants - 1)], 0],
  ["257 characters", ["a".repeat(256 - tenants)], 1],
])("warns of what old resolvers do not read: %s", (_what, own, count) => {
  const decision = decidePodDns({ spec: { dnsConfig: { searches: own } } }, podDns, bar);
  expect(decision).toMatchObject({ action: "set", warnings: { length: count } });
});

it("f(f(pod)) = f(pod), the tenant's entries come first, and nothing of the pod's own is lost", () => {
  forAny(podDns, (pod, decision, again) => {
    if (decision.action !== "set") return;
    const { dnsConfig } = decision;
    const own = pod.spec.dnsConfig ?? {};
    expect(again).toEqual({ action: "leave" });
    for (const key of ["nameservers", "searches", "options"] as const)
      expect(dnsConfig[key]).toEqual(expect.arrayContaining([...(own[key] ?? [])]));
    expect(dnsConfig.options?.filter(({ name }) => name === "ndots").length).toBeGreaterThan(0);
  });
});

it("strict: f(f(pod)) = f(pod), and every pod has the documented search list and ndots", () => {
  forAny(strict, (pod, decision, again) => {
    const isMirror = pod.metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined;
    expect(decision.action === "leave").toBe(isMirror);
    if (decision.action !== "set") return;
    const { dnsConfig } = decision;
    expect(again).toEqual(decision);
    expect(dnsConfig.searches?.slice(4).filter((search) => search.endsWith("cluster.local"))).toEqual([]);
    expect(dnsConfig.options?.filter(({ name }) => name === "ndots")).toEqual(wanted.options);
  });
});

type See = (pod: DnsPod, decision: PodDnsDecision, again: PodDnsDecision | undefined) => void;

/** What is decided of any pod, where the tenant's entries come first, and of what became of it. */
function forAny(of: PodDns, see: See): void {
  const property = fc.property(pods, (pod) => {
    const decision = decidePodDns(pod, { ...of, all }, bar);
    if (decision.action !== "set") return see(pod, decision, undefined);
    const { dnsConfig } = decision;
    expect(dnsConfig.nameservers?.slice(0, 1)).toEqual(wanted.nameservers);
    expect(dnsConfig.searches?.slice(0, 4)).toEqual(wanted.searches);
    const decided = { ...pod, spec: { ...pod.spec, dnsPolicy: "None", dnsConfig } };
    see(pod, decision, decidePodDns(decided, { ...of, all }, bar));
  });
  fc.assert(property);
}

function servers(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `192.0.2.${i + 1}`);
}

function searches(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${i}.x`);
}
