import { beforeAll, describe, expect, it } from "vitest";
import { addresses, ask } from "../../../../rig/coredns/ask";
import { whyNoCoreDNS, type Running } from "../../../../rig/coredns/coredns";
import type { FakeApi } from "../../../../rig/coredns/fake-api";
import { putHeadless, service } from "../../../../rig/coredns/objects";
import { plugin, serverBlock, type Corefile } from "../../../../src/model/corefile/corefile";
import { facts, SmallDns } from "../../lib/small-dns";
import { eventually } from "../../../eventually";

/** The federation's own DNS, as another cluster would serve it: every zone and region has that cluster's Services. */
const federationServer: Corefile = [
  serverBlock(
    ["fed.example"],
    [
      plugin("ready"),
      plugin("health"),
      plugin("rewrite", [
        "stop",
        "name",
        "regex",
        "^(.+)\\.myfed\\.svc\\.eu-west-1a\\.eu-west\\.fed\\.example\\.$",
        "{1}.svc.cluster.local.",
        "answer",
        "auto",
      ]),
      plugin("kubernetes", ["cluster.local"]),
    ],
  ),
];

describe.skipIf(whyNoCoreDNS)(`federation between two CoreDNS${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
  const dns = new SmallDns();
  let here: FakeApi;
  let local: Running;
  beforeAll(async () => {
    const own = await dns.api({ shop: { cart: "10.96.1.1" } });
    here = own.api;
    // A Service whose name starts with a digit: Kubernetes 1.37
    const services = { cart: "10.97.1.1", search: "10.97.1.2", "1search": "10.97.1.3" };
    const { api: there, url } = await dns.api({ shop: services });
    putHeadless(there, "shop", "db", "db-0", "10.245.0.1");
    const remote = await dns.run(federationServer, { api: url });
    const federation = { name: "myfed", domain: "fed.example", region: "eu-west", zone: "eu-west-1a" };
    const stubDomains = { "fed.example": [`127.0.0.1:${remote.port}`] };
    local = await dns.cluster({ ...facts, stubDomains, federation }, { api: own.url });
  });
  const resolve = (name: string) => addresses({ name: `${name}.svc.cluster.local`, port: local.port });

  it("answers with this cluster's Service if it exists here", async () => {
    expect(await resolve("cart.shop.myfed")).toBe("10.96.1.1");
    const { answers } = await ask({
      name: "_http._tcp.cart.shop.myfed.svc.cluster.local",
      type: "SRV",
      port: local.port,
    });
    expect(answers).toMatchObject([{ type: "SRV", data: { target: "cart.shop.svc.cluster.local" } }]);
  });

  it.each([
    ["search.shop", "10.97.1.2"],
    ["1search.shop", "10.97.1.3"],
    ["db-0.db.shop", "10.245.0.1"],
  ])(
    "answers %s with the federation's name and its address if there is no such Service here",
    async (name, address) => {
      const asked = `${name}.myfed.svc.cluster.local`;
      for (const tcp of [false, true]) {
        expect((await ask({ name: asked, port: local.port, tcp })).answers).toMatchObject([
          { type: "CNAME", name: asked, data: `${name}.myfed.svc.eu-west-1a.eu-west.fed.example` },
          { type: "A", name: `${name}.myfed.svc.eu-west-1a.eu-west.fed.example`, data: address },
        ]);
      }
    },
  );

  it("follows a Service that is deleted and recreated", async () => {
    here.put("services", service("shop", "search", "10.96.1.2"));
    await eventually("this cluster's Service", 30, () => resolve("search.shop.myfed"), "10.96.1.2");
    here.remove("services", "search", "shop");
    await eventually("the other cluster's Service", 30, () => resolve("search.shop.myfed"), "10.97.1.2");
  });

  it("has no address for Services that exist nowhere, and does not affect plain names", async () => {
    // Only the CNAME: `template` has one response code for all.
    expect(await resolve("none.shop.myfed")).toBe("NODATA");
    expect(await resolve("shop.myfed")).toBe("NXDOMAIN");
    expect(await resolve("cart.shop")).toBe("10.96.1.1");
    expect(await resolve("search.shop")).toBe("NXDOMAIN");
    expect(await resolve('a"b{{.Name}};x.shop.myfed')).toBe("NXDOMAIN");
  });

  it("gives an empty answer for a Service that exists here but has no record of the type", async () => {
    const { rcode, answers } = await ask({ name: "cart.shop.myfed.svc.cluster.local", type: "AAAA", port: local.port });
    expect({ rcode, answers }).toEqual({ rcode: "NOERROR", answers: [] });
  });
});
