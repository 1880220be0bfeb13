import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addresses, ask } from "../../../../rig/coredns/ask";
import { whyNoCoreDNS } from "../../../../rig/coredns/coredns";
import { namespace, pod, service } from "../../../../rig/coredns/objects";
import { resolve } from "../../../../src/model/check/resolve";
import { clusterOf } from "../../../../src/model/cluster/cluster";
import type { TenancyOptions } from "../../../../src/model/props/tenancy";
import { memberOf, tenancyOf } from "../../../../src/model/tenancy/membership";
import { podDnsConfig } from "../../../../src/model/tenancy/pod-dns-config";
import { cached, facts as known, SmallDns } from "../../lib/small-dns";

const facts = { ...known, kubernetesVersion: "1.34", nodeLocalDNS: { state: "disabled" } } as const;

// So similar that one is often part of another, or of a tenant and a namespace together.
const names = "a b ab ba a-b b-a a-a aa a1 1 1-a ab-a a-ab b1-a a--b x-a".split(" ");

/** Tenancies that pass the checks, with the namespaces of their clusters: those of tenants and others. */
const clusters = fc
  .record({
    membership: fc.constantFrom("listed" as const, "prefix" as const),
    names: fc.shuffledSubarray(names, { minLength: names.length }),
  })
  .map(({ membership, names: [first = "", second = "", third = "", ...others] }) => {
    const tenants = [first, second, third].map((name, i) => {
      return membership === "listed" ? { name, namespaces: others.slice(2 * i, 2 * i + 2) } : { name };
    });
    const tenancy: TenancyOptions = { membership, tenants, systemTenant: { name: "infra" }, isolation: "hard" };
    // With prefixes, a tenant's namespaces are those named accordingly.
    const prefixed = membership === "prefix" ? tenants.flatMap(({ name }) => [`${name}-a`, `${name}-b`]) : [];
    return { tenancy, namespaces: [...new Set([...others.slice(0, 10), ...prefixed])] };
  })
  .filter(({ tenancy }) => resolve({ ...facts, upstreamNameservers: ["9.9.9.9"], tenancy }).cluster !== undefined);

describe.skipIf(whyNoCoreDNS)(`any tenants in CoreDNS${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
  const dns = new SmallDns();

  it.each(fc.sample(clusters, { numRuns: 4, seed: 7 }))(
    "answer only their own pods: $tenancy.membership, $tenancy.tenants",
    async ({ tenancy: options, namespaces }) => {
      const tenancy = tenancyOf(options);
      const { api, url } = await dns.api();
      const all = ["default", "kube-system", ...namespaces];
      for (const [i, name] of all.entries()) {
        api.put("namespaces", namespace(name));
        api.put("services", service(name, "foo", `10.96.2.${i}`));
        api.put("pods", pod(name, "client", `127.0.${i}.1`));
      }
      const coredns = await dns.cluster({ ...facts, tenancy: options }, { api: url });
      const tenants = [...tenancy.tenants.map(({ name }) => name), "infra"];
      const wrong: string[] = [];
      let answered = 0;
      for (const [c, client] of [...all, "nobody"].entries()) {
        const owner = memberOf(tenancy, { name: client })?.tenant;
        const expectAnswer = async (name: string, ns: string, may: boolean) => {
          const { rcode, answers } = await ask({
            name: `${name}.svc.cluster.local`,
            port: coredns.port,
            from: `127.0.${c}.1`,
          });
          const got = answers.length > 0;
          answered += got ? 1 : 0;
          const right = may && all.includes(ns);
          if (got !== right || rcode !== (right ? "NOERROR" : "NXDOMAIN"))
            wrong.push(`${client} asks ${name}: ${rcode}`);
        };
        for (const ns of all) {
          const of = memberOf(tenancy, { name: ns })?.tenant;
          const mine = of === undefined || of === "infra" || of === owner;
          await expectAnswer(`foo.${ns}`, ns, mine);
          for (const tenant of tenants) {
            const real = tenancy.membership === "prefix" && tenant !== "infra" ? `${tenant}-${ns}` : ns;
            const belongs = memberOf(tenancy, { name: real })?.tenant === tenant;
            await expectAnswer(`foo.${ns}.${tenant}`, real, belongs && (tenant === "infra" || tenant === owner));
          }
        }
      }
      expect(wrong).toEqual([]);
      expect(answered).toBeGreaterThan(50);
    },
  );

  it("answer through a node cache, whose zone they are in, at each attempt of the search list", async () => {
    const { url } = await dns.api({ bar: { foo: "10.96.3.0" }, quux: { foo: "10.96.3.1" }, web: { foo: "10.96.3.2" } });
    const tenants = [
      { name: "baz", namespaces: ["bar", "quux"] },
      { name: "acme", namespaces: ["web"] },
    ];
    const props = { ...cached, tenancy: { tenants } };
    const { podDns } = clusterOf(props);
    if (!podDns) throw new Error("no tenants");
    const { cache } = await dns.both(props, { api: url });
    const { searches } = podDnsConfig(podDns, { tenant: "baz", namespace: "bar" });
    const asked = async (name: string) => {
      const found = searches.map((search) => addresses({ name: `${name}.${search}`, port: cache.port }));
      return (await Promise.all(found)).map((answer) => (answer === "NXDOMAIN" ? "" : answer));
    };
    expect(await asked("foo")).toEqual(["10.96.3.0", "", "", ""]);
    expect(await asked("foo.quux")).toEqual(["", "10.96.3.1", "10.96.3.1", ""]);
    expect(await asked("foo.web.acme")).toEqual(["", "", "10.96.3.2", ""]);
    expect(await asked("foo.web.acme.svc")).toEqual(["", "", "", "10.96.3.2"]);
  });
});
