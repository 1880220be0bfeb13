import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, it } from "vitest";
import { addresses, ask } from "../../../../rig/coredns/ask";
import { whyNoCoreDNS, type Running } from "../../../../rig/coredns/coredns";
import { until } from "../../../../rig/until";
import { issue } from "../../../../src/agent/webhook/certificates/issue";
import { plugin, type Corefile, type Directive } from "../../../../src/model/corefile/corefile";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import type { DnsServer } from "../../../../rig/dns-server";
import { cached, SmallDns } from "../../lib/small-dns";

const dns = new SmallDns();

/** CoreDNS, and a node's cache in front of it, with a server outside. */
async function start(upstream: DnsServer, more: Partial<ClusterDnsProps>, bind = "127.0.0.1"): Promise<Running[]> {
  const { url } = await dns.api({ shop: { cart: "10.96.1.1" } });
  const clusterDNS = [bind === "::1" ? "fd00:96::a" : "10.96.0.10"];
  const props = { ...cached, clusterDNS, upstreamNameservers: [`127.0.0.1:${upstream.port}`], ...more };
  const edited = (corefile: Corefile) => alsoAt(bind, corefile);
  const { cluster, cache } = await dns.both(props, { api: url, bind, edited });
  return [cluster, cache];
}

/** On this address of the loopback interface, too: what asks itself does so at the usual one. */
function alsoAt(address: string, corefile: Corefile): Corefile {
  const usual = plugin("bind", ["127.0.0.1"]);
  const isUsual = ({ name, args }: Directive) => name === "bind" && args.includes("127.0.0.1");
  return corefile.map(({ plugins, ...block }) => ({
    ...block,
    plugins: (plugins.some(({ name }) => name === "bind") ? plugins : [usual, ...plugins]).map((each) =>
      isUsual(each) ? plugin("bind", [...new Set([...each.args, address])]) : each,
    ),
  }));
}

describe.skipIf(whyNoCoreDNS)(`names outside${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
  const zones = { "own.example": { records: { www: { A: ["192.0.2.9"] } } } };

  it("filterAAAA: no data for every AAAA, and nobody outside is asked for one, with a cache and without", async () => {
    const upstream = await dns.upstream(({ type, name }) => {
      if (name.startsWith("none")) return { rcode: 3 };
      return type === "AAAA" ? ["2001:db8::1"] : ["192.0.2.1"];
    });
    await expectEach(await start(upstream, { filterAAAA: true, zones }), {}, [
      ["www.outside.example", "192.0.2.1", "NODATA"],
      ["none.outside.example", "NXDOMAIN", "NODATA"],
      ["cart.shop.svc.cluster.local", "10.96.1.1", "NODATA"],
      ["none.shop.svc.cluster.local", "NXDOMAIN", "NXDOMAIN"],
      ["www.own.example", "192.0.2.9", "NODATA"],
      ["none.own.example", "NXDOMAIN", "NODATA"],
    ]);
    expect(upstream.asked.filter((each) => each.includes(" AAAA "))).toEqual([]);
  });

  it("dns64: addresses with the prefix for names that have only IPv4, with a cache and without", async () => {
    const upstream = await dns.upstream(({ type, name }) => {
      if (name.startsWith("none")) return { rcode: 3 };
      if (name.startsWith("six")) return type === "AAAA" ? ["2001:db8::1"] : [];
      return type === "AAAA" ? [] : ["192.0.2.1"];
    });
    const rewrites = [{ from: "moved.shop.svc.cluster.local", to: "four.outside.example" }];
    const federation = { name: "fed", domain: "fed.example", region: "eu", zone: "a" };
    const servers = await start(upstream, { dns64: "64:ff9b::/96", zones, rewrites, federation }, "::1");
    await expectEach(servers, { server: "::1" }, [
      // CoreDNS asks itself for these.
      ["moved.shop.svc.cluster.local", "192.0.2.1", "64:ff9b::c000:201"],
      ["a.b.fed.svc.cluster.local", "192.0.2.1", "64:ff9b::c000:201"],
      ["four.outside.example", "192.0.2.1", "64:ff9b::c000:201"],
      ["six.outside.example", "NODATA", "2001:db8::1"],
      ["none.outside.example", "NXDOMAIN", "NXDOMAIN"],
      ["www.own.example", "192.0.2.9", "64:ff9b::c000:209"],
    ]);
  });

  it("dns64: also for names that the cache finds on the search path", async () => {
    const upstream = await dns.upstream(({ type }) => (type === "AAAA" ? [] : ["192.0.2.1"]));
    const nodeLocalDNS = { searchPath: { nodeDomains: [] } };
    const [, cache] = await start(upstream, { dns64: "64:ff9b::/96", nodeLocalDNS }, "::1");
    const question = { name: "www.outside.example.shop.svc.cluster.local", port: cache?.port ?? 0, server: "::1" };
    for (const tcp of [false, true])
      expect(await addresses({ ...question, tcp, type: "AAAA" })).toBe("64:ff9b::c000:201");
  });

  it("tlsCA: asks servers whose certificates a private authority signed, and no others", async () => {
    const [own, foreign] = [await issue(["dns.example"], new Date()), await issue(["dns.example"], new Date())];
    const upstream = await dns.upstream(() => ["192.0.2.1"]);
    const overTLS = createTlsServer({ cert: own.certificate, key: own.key }, (client) => {
      const server = connect(upstream.port, "127.0.0.1");
      client.on("error", () => server.destroy());
      client.pipe(server).pipe(client);
    });
    await once(overTLS.listen(0, "127.0.0.1"), "listening");
    dns.keep({ stop: () => overTLS.close() });
    const { port } = overTLS.address() as AddressInfo;
    const asking = (tlsCA: string): Partial<ClusterDnsProps> => ({
      upstreamNameservers: [`127.0.0.1:${port}`],
      upstreamTLSServerName: "dns.example",
      upstreamOptions: { tlsCA },
      zones: { "zone.example": { forward: { servers: [`127.0.0.1:${port}`], tlsServerName: "dns.example", tlsCA } } },
    });
    for (const [authority, answer] of [
      [own.authority, "192.0.2.1"],
      [foreign.authority, "SERVFAIL"],
    ] as const)
      for (const server of await start(await dns.upstream(() => "silence"), asking(authority)))
        for (const name of ["www.outside.example", "www.zone.example"])
          expect([name, await addresses({ name, port: server.port })]).toEqual([name, answer]);
  });

  it("queryLog: of the named zones and classes, in CoreDNS and in the cache", async () => {
    const upstream = await dns.upstream(({ name }) => (name.startsWith("bad") ? { rcode: 2 } : ["192.0.2.1"]));
    const queryLog = { zones: ["corp.example"], classes: ["error"] } as const;
    for (const server of await start(upstream, { queryLog })) {
      for (const name of ["good.corp.example", "bad.other.example", "bad.corp.example"])
        await ask({ name, port: server.port });
      await until("the last of them in the log", 30, () => Promise.resolve(server.said().includes("bad.corp.example")));
      const logged = ["good.corp", "bad.other", "bad.corp"].filter((name) => server.said().includes(`IN ${name}`));
      expect(logged).toEqual(["bad.corp"]);
    }
  });

  it("dnstap: whoever listens gets whole messages; if nobody does, answers come all the same", async () => {
    const received: Buffer[] = [];
    const collector = createServer((connection) => {
      dns.keep({ stop: () => connection.destroy() });
      connection.on("error", () => connection.destroy());
      connection.once("data", () => connection.write(accept));
      connection.on("data", (data) => received.push(data));
    });
    await once(collector.listen(0, "127.0.0.1"), "listening");
    dns.keep({ stop: () => collector.close() });
    const { port: free } = collector.address() as AddressInfo;
    const listening = { dnstap: { endpoint: `tcp://127.0.0.1:${free}`, full: true } };
    for (const server of await start(await dns.upstream(() => ["192.0.2.1"]), listening)) {
      const label = `tapped${server.port}`;
      expect(await addresses({ name: `${label}.outside.example`, port: server.port })).toBe("192.0.2.1");
      await until("the query at the collector", 30, () => Promise.resolve(Buffer.concat(received).includes(label)));
    }
    const nobody = { dnstap: { endpoint: "tcp://127.0.0.1:9", full: true } };
    for (const { port } of await start(await dns.upstream(() => ["192.0.2.1"]), nobody))
      expect(await addresses({ name: "a.outside.example", port })).toBe("192.0.2.1");
  });
});

/** Each name has these addresses, over UDP and TCP. */
async function expectEach(
  servers: readonly Running[],
  at: { readonly server?: string },
  rows: readonly (readonly [name: string, A: string, AAAA: string])[],
): Promise<void> {
  for (const { port } of servers)
    for (const tcp of [false, true])
      // Twice: the second time from the cache.
      for (const [name, A, AAAA] of rows.flatMap((row) => [row, row])) {
        const question = { name, port, tcp, ...at };
        expect([name, tcp, await addresses({ ...question, type: "AAAA" })]).toEqual([name, tcp, AAAA]);
        expect([name, tcp, await addresses(question)]).toEqual([name, tcp, A]);
      }
}

/** Frame Streams: a control frame (escape, length) that accepts dnstap's content. */
const accept = (() => {
  const content = Buffer.from("protobuf:dnstap.Dnstap");
  const frame = Buffer.alloc(12);
  frame.writeUInt32BE(1, 0);
  frame.writeUInt32BE(1, 4);
  frame.writeUInt32BE(content.length, 8);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(frame.length + content.length, 4);
  return Buffer.concat([head, frame, content]);
})();
