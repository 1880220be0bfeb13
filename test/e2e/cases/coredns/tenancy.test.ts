import { beforeAll, describe, expect, it } from "vitest";
import { addresses, ask } from "../../../../rig/coredns/ask";
import { whyNoCoreDNS, type Running } from "../../../../rig/coredns/coredns";
import type { FakeApi } from "../../../../rig/coredns/fake-api";
import { namespace, pod, putHeadless, service } from "../../../../rig/coredns/objects";
import type { TenancyOptions } from "../../../../src/model/props/tenancy";
import { facts, SmallDns } from "../../lib/small-dns";
import { eventually } from "../../../eventually";

// The rendered Corefile in CoreDNS itself; only the API server is a small one of our own.

const label = "example.com/tenant";
const tenancies: { readonly [membership: string]: TenancyOptions } = {
  listed: {
    tenants: [
      { name: "baz", namespaces: ["bar", "bar2"] },
      { name: "acme", namespaces: ["web"] },
    ],
  },
  prefix: { membership: "prefix", tenants: [{ name: "baz" }, { name: "acme" }] },
  label: { membership: "label", namespaceLabel: label, tenants: [{ name: "baz" }, { name: "acme" }] },
};

/** The API server's name of a tenant's namespace. */
function real(membership: string, tenant: string, name: string): string {
  return membership === "prefix" ? `${tenant}-${name}` : name;
}

function fill(api: FakeApi, membership: string): void {
  // A label that tenants cannot set.
  for (const name of ["default", "kube-system"]) api.put("namespaces", namespace(name, { [label]: "baz" }));
  api.put("services", service("default", "kubernetes", "10.96.0.1"));
  api.put("services", service("kube-system", "kube-dns", "10.96.0.10"));
  const members: [tenant: string, name: string, index: number][] = [
    ["baz", "bar", 1],
    ["baz", "bar2", 2],
    ["acme", "web", 3],
  ];
  for (const [tenant, name, index] of members) {
    const ns = real(membership, tenant, name);
    api.put("namespaces", namespace(ns, { [label]: tenant }));
    api.put("services", service(ns, "foo", `10.96.1.${index}`));
    putHeadless(api, ns, "hl", "web-0", `10.244.0.${index}`);
    api.put("pods", pod(ns, "client", `127.0.${index}.1`));
  }
  api.put("pods", pod("kube-system", "client", "127.0.9.1"));
}

describe.skipIf(whyNoCoreDNS)(`tenants in CoreDNS${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
  const dns = new SmallDns();
  /** CoreDNS of a cluster that has tenants. */
  async function start(membership: string, more: Partial<TenancyOptions> = {}) {
    const { api, url } = await dns.api();
    fill(api, membership);
    const tenancy = { ...tenancies[membership], systemTenant: { name: "infra" }, ...more } as TenancyOptions;
    return { api, coredns: await dns.cluster({ ...facts, tenancy }, { api: url, bind: "127.0.0.1" }) };
  }

  describe.each(["listed", "prefix", "label"])("membership: %s", (membership) => {
    let coredns: Running;
    beforeAll(async () => void ({ coredns } = await start(membership)));
    const resolve = (name: string, options = {}) =>
      addresses({ name: `${name}.svc.cluster.local`, port: coredns.port, ...options });
    const bar = real(membership, "baz", "bar");

    it.each([
      ["foo.bar.baz", "10.96.1.1"],
      ["foo.bar2.baz", "10.96.1.2"],
      ["FOO.bar.Baz", "10.96.1.1"],
      ["foo.web.acme", "10.96.1.3"],
      ["web-0.hl.bar.baz", "10.244.0.1"],
      ["hl.bar.baz", "10.244.0.1"],
      ["kube-dns.kube-system.infra", "10.96.0.10"],
      ["kubernetes.default.infra", "10.96.0.1"],
      ["foo.web.baz", "NXDOMAIN"],
      ["foo.bar.acme", "NXDOMAIN"],
      ["foo.bar.infra", "NXDOMAIN"],
      ["foo.default.baz", "NXDOMAIN"],
      ["kubernetes.default.baz", "NXDOMAIN"],
      ["none.bar.baz", "NXDOMAIN"],
      ["foo.none.baz", "NXDOMAIN"],
      ["foo.bar.baz.baz", "NXDOMAIN"],
    ])("answers %s.svc with %s", async (name, answer) => {
      expect(await resolve(name)).toEqual(answer);
      expect(await resolve(name, { tcp: true })).toEqual(answer);
    });

    it("does not affect plain names, StatefulSet names and reverse names", async () => {
      expect(await resolve(`foo.${bar}`)).toBe("10.96.1.1");
      expect(await resolve(`web-0.hl.${bar}`)).toBe("10.244.0.1");
      const { answers } = await ask({ name: "1.1.96.10.in-addr.arpa", type: "PTR", port: coredns.port });
      expect(answers).toMatchObject([{ data: `foo.${bar}.svc.cluster.local` }]);
    });

    it("answers SRV queries under the queried name, with targets that resolve", async () => {
      for (const name of ["_http._tcp.foo.bar.baz", "_http._tcp.hl.bar.baz"]) {
        const { answers } = await ask({ name: `${name}.svc.cluster.local`, type: "SRV", port: coredns.port });
        expect(answers).toMatchObject([{ name: `${name}.svc.cluster.local`, type: "SRV" }]);
        const { target } = (answers[0] as { data: { target: string } }).data;
        expect(await addresses({ name: target, port: coredns.port })).toMatch(/^10\./);
      }
    });

    it("distinguishes an empty non-terminal from a name that does not exist", async () => {
      expect(await resolve("bar.baz")).toBe("NODATA");
      expect(await resolve("none.baz")).toBe("NXDOMAIN");
      const { rcode } = await ask({ name: "foo.bar.baz.svc.cluster.local", type: "MX", port: coredns.port });
      expect(rcode).toBe("NOERROR");
    });
  });

  it("follows a namespace that joins a tenant and leaves it, by label or by name", async () => {
    for (const membership of ["label", "prefix"]) {
      const { api, coredns } = await start(membership);
      const name = real(membership, "baz", "late");
      const found = () => addresses({ name: "foo.late.baz.svc.cluster.local", port: coredns.port });
      const isNow = (answer: string) => eventually("what changed", 30, found, answer);
      await isNow("NXDOMAIN");
      api.put("namespaces", namespace(name, { [label]: "baz" }));
      api.put("services", service(name, "foo", "10.96.1.9"));
      await isNow("10.96.1.9");
      if (membership === "label") api.put("namespaces", namespace(name));
      else api.remove("namespaces", name);
      await isNow("NXDOMAIN");
    }
  });

  describe.each(["listed", "prefix"])("isolation: hard, membership: %s", (membership) => {
    let api: FakeApi;
    let coredns: Running;
    beforeAll(async () => {
      ({ api, coredns } = await start(membership, { isolation: "hard" }));
      const externalName = `foo.${real(membership, "baz", "bar2")}.svc.cluster.local`;
      const metadata = { name: "inside", namespace: real(membership, "baz", "bar") };
      api.put("services", { metadata, spec: { type: "ExternalName", externalName } });
    });
    const from = { bar: "127.0.1.1", bar2: "127.0.2.1", web: "127.0.3.1", system: "127.0.9.1", unknown: "127.0.77.1" };
    const bar = real(membership, "baz", "bar");
    const seen = async (name: string, type: "A" | "SRV" = "A"): Promise<string[]> => {
      const asked = Object.entries(from).map(async ([who, address]) => {
        const question = { name, type, port: coredns.port, from: address };
        const [udp, tcp] = await Promise.all([ask(question), ask({ ...question, tcp: true })]);
        expect(tcp.rcode).toBe(udp.rcode);
        return udp.rcode === "NXDOMAIN" ? [] : [who];
      });
      return (await Promise.all(asked)).flat();
    };
    const everybody = Object.keys(from);
    const serviceName = (name: string) => `${name}.svc.cluster.local`;

    it.each([
      // Other names of Services: any-tenants.
      ["FOO.BAR.baz", ["bar", "bar2"]],
      ["web-0.hl.bar.baz", ["bar", "bar2"]],
      [`web-0.hl.${bar}`, ["bar", "bar2"]],
      ["foo.web.acme", ["web"]],
      [bar, ["bar", "bar2"]],
      ["kube-dns.kube-system.infra", everybody],
    ])("shows %s.svc to %j", async (name, who) => {
      expect(await seen(serviceName(name))).toEqual(who);
    });

    it("hides SRV and pod names, and follows aliases inside a tenant", async () => {
      expect(await seen(serviceName("_http._tcp.foo.bar.baz"), "SRV")).toEqual(["bar", "bar2"]);
      expect(await seen(`127-0-1-1.${bar}.pod.cluster.local`)).toEqual(["bar", "bar2"]);
      const alias = { name: serviceName("inside.bar.baz"), port: coredns.port, from: from.bar };
      expect(await addresses(alias)).toBe("10.96.1.2");
    });

    it("identifies a client by the pod that has its address now", async () => {
      api.put("pods", pod("kube-system", "newcomer", "127.0.55.1"));
      const question = { name: serviceName("foo.bar.baz"), port: coredns.port, from: "127.0.55.1" };
      expect(await addresses(question)).toBe("NXDOMAIN");
      api.remove("pods", "newcomer", "kube-system");
      api.put("pods", pod(bar, "heir", "127.0.55.1"));
      await eventually("the client's new pod", 30, () => addresses(question), "10.96.1.1");
    });

    it("keeps the domain itself and has no reverse names of its own", async () => {
      expect((await ask({ name: "cluster.local", type: "SOA", port: coredns.port })).answers).toHaveLength(1);
      const reverse = await ask({ name: "1.1.96.10.in-addr.arpa", type: "PTR", port: coredns.port, from: from.web });
      expect(reverse.answers).toEqual([]);
    });
  });
});
