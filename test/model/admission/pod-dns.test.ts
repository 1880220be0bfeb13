import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decidePodDns } from "../../../src/model/admission/pod-dns";
import { podRows, pods, wanted } from "./pod-table";

describe("decidePodDns", () => {
  it.each(podRows)("$name", ({ pod, expected }) => {
    expect(decidePodDns(pod, wanted)).toEqual(expected);
  });

  it("says whose entries are too many, and how many to remove", () => {
    const nameservers = decidePodDns(
      { spec: { dnsConfig: { nameservers: ["192.0.2.1", "192.0.2.2", "192.0.2.3"] } } },
      wanted,
    );
    expect(nameservers).toEqual({
      action: "deny",
      message:
        "spec.dnsConfig.nameservers: 4 together with the 1 of the tenant, at most 3 are allowed; remove 1 of the pod's own",
    });
    const searches = decidePodDns(
      { spec: { dnsConfig: { searches: Array.from({ length: 30 }, (_, i) => `${i}.example`) } } },
      wanted,
    );
    expect(searches).toMatchObject({
      message: expect.stringContaining("34 together with the 4 of the tenant, at most 32"),
    });
    const long = Array.from({ length: 9 }, (_, i) => `${i}${".abcdefghi".repeat(24)}`);
    expect(decidePodDns({ spec: { dnsConfig: { searches: long } } }, wanted)).toMatchObject({
      message: expect.stringMatching(/searches: 2\d{3} characters together/),
    });
  });

  it("warns of what old resolvers do not read", () => {
    const decision = decidePodDns(
      { spec: { dnsConfig: { searches: ["a.example", "b.example", "c.example"] } } },
      wanted,
    );
    expect(decision).toMatchObject({
      action: "set",
      warnings: [expect.stringMatching(/7 entries of 109 characters; musl, and glibc before 2\.26, read only 6/)],
    });
  });

  it("f(f(pod)) = f(pod), the tenant's entries come first, and nothing of the pod's own is lost", () => {
    fc.assert(
      fc.property(pods, (pod) => {
        const decision = decidePodDns(pod, wanted);
        if (decision.action !== "set") return;
        const { dnsConfig } = decision;
        const own = pod.spec.dnsConfig ?? {};
        expect(decidePodDns({ ...pod, spec: { ...pod.spec, dnsPolicy: "None", dnsConfig } }, wanted)).toEqual({
          action: "leave",
        });
        expect(dnsConfig.nameservers?.slice(0, 1)).toEqual(wanted.nameservers);
        expect(dnsConfig.searches?.slice(0, 4)).toEqual(wanted.searches);
        for (const key of ["nameservers", "searches", "options"] as const)
          expect(dnsConfig[key]).toEqual(expect.arrayContaining([...(own[key] ?? [])]));
        expect(dnsConfig.options?.filter(({ name }) => name === "ndots").length).toBeGreaterThan(0);
      }),
    );
  });
});
