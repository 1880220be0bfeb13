import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { addresses, ask } from "../../../../rig/coredns/ask";
import { corednsBinary, whyNoCoreDNS } from "../../../../rig/coredns/coredns";
import { regexProblems } from "../../../../src/model/check/regex";
import { resolve } from "../../../../src/model/check/resolve";
import { misfits, readExpressions, refusedExpressions } from "../../../model/corefile/misfits";
import { parseCorefile } from "../../../../src/model/corefile/parse";
import { plugins } from "../../../../src/model/corefile/plugin-table";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import type { DnsServer } from "../../../../rig/dns-server";
import { cached, SmallDns } from "../../lib/small-dns";

/** What the servers outside, and those of a zone, answer to every name. */
const [outside, ofZone, ingress] = ["192.0.2.1", "192.0.2.2", "10.96.1.1"];

const bounded: ClusterDnsProps["rewrites"] = [
  { from: "app.outside.example", to: "nginx.ingress.svc.cluster.local" },
  { match: "suffix", from: ".apps.outside.example", to: ".ingress.svc.cluster.local" },
  { from: "nginx.old.svc.cluster.local", to: "nginx.ingress.svc.cluster.local" },
  { from: "moved.ingress.svc.cluster.local", to: "www.asked.example" },
  { from: "zoned.outside.example", to: "www.lab.example" },
  { match: "suffix", from: ".ruled.example", to: ".ingress.svc.cluster.local" },
  { from: "x.old.svc.cluster.local", to: "x.db.svc.cluster.local" },
  { from: "added.outside.example", to: "www.added.example" },
];

const anywhere: ClusterDnsProps["rewrites"] = [
  { match: "prefix", from: "pre-", to: "x-" },
  { match: "substring", from: "-mid-", to: "-x-" },
  { match: "regex", from: "^(.+)\\.byregex\\.example\\.$", to: "{1}.ingress.svc.cluster.local" },
];

const zones = (port: number): ClusterDnsProps["zones"] => ({
  "lab.example": {
    records: { www: { A: ["192.0.2.10"], TXT: ['say "hi"'] }, "*.apps": { CNAME: "www" }, "@": { MX: ["10 mail"] } },
  },
  "part.example": { records: { www: { A: ["192.0.2.11"] } }, fallthrough: true },
  "lab.stub.example": { records: { www: { A: ["192.0.2.13"] } }, fallthrough: true },
  "file.example": { file: "@ 60 IN SOA ns hostmaster 1 2 3 4 5\nwww 60 IN A 192.0.2.12\n" },
  "made.example": {
    templates: [
      {
        type: "A",
        match: "^ip-(?P<a>[0-9]+)\\.made\\.example\\.$",
        answer: ["{{ .Name }} 60 IN A 192.0.2.{{ .Group.a }}"],
      },
    ],
  },
  "asked.example": { forward: { servers: [`127.0.0.1:${port}`], policy: "sequential", protocol: "tcp" } },
  "db.svc.cluster.local": { forward: { servers: [`127.0.0.1:${port}`] } },
});

const stubDomains = (port: number, deep: number) => ({
  "stub.example.": [`127.0.0.1:${port}`],
  "Deep.stub.example": [`127.0.0.1:${deep}`],
  "ruled.example": [`127.0.0.1:${port}`],
  "deep.ruled.example": [`127.0.0.1:${port}`],
});

const blocks = 'added.example {\n template IN A {\n answer "{{ .Name }} 60 IN A 192.0.2.14"\n }\n}';

/** What a pod gets, by either way. */
const questions: readonly [name: string, answer: string | string[]][] = [
  ["plain.outside.example", outside],
  ["nginx.ingress.svc.cluster.local", ingress],
  ["app.outside.example", ingress],
  ["nginx.apps.outside.example", ingress],
  ["none.apps.outside.example", "NXDOMAIN"],
  ["x.app.outside.example", outside],
  ["nginx.old.svc.cluster.local", ingress],
  ["moved.ingress.svc.cluster.local", ofZone],
  ["zoned.outside.example", "192.0.2.10"],
  ["www.lab.example", "192.0.2.10"],
  ["a.apps.lab.example", "192.0.2.10"],
  ["none.lab.example", "NXDOMAIN"],
  ["www.part.example", "192.0.2.11"],
  ["other.part.example", outside],
  ["www.file.example", "192.0.2.12"],
  ["ip-7.made.example", "192.0.2.7"],
  ["other.made.example", "NXDOMAIN"],
  ["www.asked.example", ofZone],
  ["x.db.svc.cluster.local", ofZone],
  ["x.old.svc.cluster.local", ofZone],
  ["a.stub.example", ofZone],
  ["a.deep.stub.example", outside],
  ["www.lab.stub.example", "192.0.2.13"],
  ["other.lab.stub.example", ofZone],
  ["ruled.example", ofZone],
  ["nginx.ruled.example", ingress],
  ["nginx.deep.ruled.example", "NXDOMAIN"],
  ["added.outside.example", "192.0.2.14"],
];

const some = <T>(...values: T[]) => fc.subarray(values, { maxLength: 3 });
const text = (...lines: string[]) => some(...lines).map((chosen) => chosen.join("\n"));

/** Parts of cluster files, of which few exclude each other. */
const special: fc.Arbitrary<Partial<ClusterDnsProps>> = fc
  .record({
    rewrites: some(
      ...(bounded ?? []),
      ...(anywhere ?? []),
      { match: "suffix", from: "glued.example", to: "b.example", answer: "unchanged" } as const,
      {
        match: "regex",
        from: "(?i)^(?P<a>[a-z]+)\\.groups\\.example\\.$",
        to: "{1}.b.example",
        answer: [{ part: "value", from: "(.*)\\.b\\.example\\.", to: "{1}.c.example" }],
      } as const,
    ),
    zones: some(...Object.entries(zones(9) ?? {})).map((chosen) => Object.fromEntries(chosen)),
    clusterNames: text("log", "nsid a", "minimal", "errors {\n stacktrace\n}"),
    otherNames: text(
      "log . {\n class error\n}",
      "any",
      "dns64 {\n prefix 64:ff9b::/96\n}",
      "acl {\n block type ANY\n}",
      "template ANY AAAA {\n rcode NOERROR\n}",
      "header {\n response set ra\n}",
      "loadbalance round_robin",
      'errors {\n consolidate 5m ".* i/o timeout$" warning\n}',
      "metadata",
      "local",
      "shed",
      "cancel 2s",
    ),
    blocks: text(
      "a.example b.example:53 {\n errors\n cache 30\n forward . 192.0.2.1 {\n policy sequential\n }\n}",
      "c.example {\n whoami\n}",
      '10.0.0.0/8 {\n template IN PTR {\n answer "{{ .Name }} 60 IN PTR a.example."\n }\n}',
      "d.example {\n hosts {\n  192.0.2.1 d.example\n  fallthrough\n }\n loop\n forward . 192.0.2.1\n}",
      ". {\n view y {\n  expr \"client_ip() == '192.0.2.1'\"\n }\n whoami\n}",
      "cluster.local {\n view x {\n  expr \"client_ip() == '192.0.2.1'\"\n }\n whoami\n}",
    ),
    ofCache: fc.boolean(),
    more: some<Partial<ClusterDnsProps>>(
      { filterAAAA: true },
      { resilience: { pinnedNames: ["plain.outside.example"] } },
      { queryLog: { classes: ["error"] } },
      { dnstap: { endpoint: "tcp://127.0.0.1:9" } },
      {
        upstreamOptions: {
          protocol: "udp",
          failover: ["SERVFAIL"],
          timeout: "1s",
          maxFails: 1,
          healthCheck: { interval: "1s", domain: "a.example", recursive: false },
          failFast: true,
          expire: "1m",
        },
      },
    ),
  })
  .map(({ rewrites, zones: chosen, ofCache, more, ...corefile }) => ({
    ...(Object.assign({}, ...more) as Partial<ClusterDnsProps>),
    rewrites,
    zones: chosen,
    authoritativeDNS: { corefile },
    nodeLocalDNS: ofCache ? { corefile } : {},
  }));

describe.skipIf(whyNoCoreDNS)(`CoreDNS${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
  const dns = new SmallDns();
  let api: string;
  let upstreams: readonly [DnsServer, DnsServer];

  beforeAll(async () => {
    api = (await dns.api({ ingress: { nginx: ingress } })).url;
    upstreams = [await dns.upstream(() => [outside]), await dns.upstream(() => [ofZone])];
  });

  const start = (more: Partial<ClusterDnsProps>) =>
    dns.both({ ...cached, upstreamNameservers: [`127.0.0.1:${upstreams[0].port}`], ...more }, { api });

  it("has the plugins of the table, and no others", () => {
    const listed = execFileSync(corednsBinary, ["-plugins"], { encoding: "utf8" });
    expect(listed.trim().split("\n").toSorted()).toEqual(Object.keys(plugins).toSorted());
  });

  it("starts with the Corefiles of random cluster files, and answers", async () => {
    const seen = { started: 0 };
    await fc.assert(
      fc.asyncProperty(special, async (more) => {
        if (resolve({ ...cached, upstreamNameservers: undefined, ...more }).problems) return;
        const { cluster, cache } = await start(more);
        for (const { port } of [cluster, cache])
          expect(await addresses({ name: "nginx.ingress.svc.cluster.local", port })).toBe(ingress);
        await Promise.all([cluster.stop(), cache.stop()]);
        seen.started++;
      }),
      { numRuns: 60 },
    );
    // Otherwise the arbitrary is worthless.
    expect(seen.started).toBeGreaterThan(15);
  });

  it.each([["all", readExpressions], ...refusedExpressions.map((each) => [each, [each]] as const)] as const)(
    "regular expressions that are read here are read there, and no others: %s",
    async (_, expressions) => {
      const refused = expressions.flatMap((each) => regexProblems(each, ["from"])).length;
      const rewrites = expressions.map((from) => ({ match: "regex", from, to: "b.example" }) as const);
      const said = await dns.cluster({ ...cached, rewrites }, { api }).then((server) => server.stop(), String);
      expect([refused, said ?? "read"]).toEqual(
        refused === 0 ? [0, "read"] : [1, expect.stringContaining("invalid regex matching pattern")],
      );
    },
  );

  it.each(misfits)("starts with nothing that is refused here: %s", async (plugin) => {
    const started = dns.run(parseCorefile(`.:53 {\n${plugin}\n}`), { api });
    await expect(started.then((server) => server.stop())).rejects.toThrow(/^CoreDNS ended: /);
  });

  it("answers as additions say, with a cache and without", async () => {
    const { cluster, cache } = await start({
      authoritativeDNS: {
        corefile: {
          otherNames: "template ANY ANY bad.example {\n rcode NXDOMAIN\n}",
          blocks: [
            `added.example {\n errors\n forward . 127.0.0.1:${upstreams[1].port}\n}`,
            `cluster.local views.example . {
              view some {
                expr "name() in ['seen.cluster.local.', 'seen.views.example.', 'seen.example.']"
              }
              forward . 127.0.0.1:${upstreams[1].port}
            }`,
          ].join("\n"),
        },
      },
    });
    for (const { port } of [cluster, cache])
      for (const [name, expected] of [
        ["x.bad.example", "NXDOMAIN"],
        ["x.added.example", ofZone],
        ["x.other.example", outside],
        ["x.views.example", outside],
        ["seen.cluster.local", ofZone],
        ["seen.views.example", ofZone],
        ["seen.example", ofZone],
      ] as const)
        expect([name, await addresses({ name, port })]).toEqual([name, expected]);
  });

  const ofAddress = "9.2.0.192.in-addr.arpa";
  const subnet = "2.0.192.in-addr.arpa";
  it.each<[what: string, PTR: string, more: Partial<ClusterDnsProps>]>([
    ["", "alias.example", {}],
    [" in a stub domain", "alias.example", { stubDomains: { [subnet]: ["127.0.0.1:1"] } }],
    [" in a zone", "zone.example", { zones: { [subnet]: { records: { "9": { PTR: ["zone.example."] } } } } }],
    [
      " in a block",
      "block.example",
      {
        authoritativeDNS: {
          corefile: { blocks: `${subnet} {\n template IN PTR {\n answer "{{ .Name }} 5 IN PTR block.example."\n }\n}` },
        },
      },
    ],
    [
      " that a rule has",
      "to.example",
      {
        rewrites: [{ from: ofAddress, to: "to.lab.example" }],
        zones: { "lab.example": { records: { to: { PTR: ["to.example."] } } } },
      },
    ],
  ])("answers names and addresses of aliases, with a cache and without%s", async (_, name, more) => {
    const { cluster, cache } = await start({
      ...more,
      hostAliases: [{ ip: "192.0.2.9", hostnames: ["alias.example"] }],
    });
    for (const { port } of [cluster, cache]) {
      expect(await addresses({ name: "alias.example", port })).toBe("192.0.2.9");
      const { answers } = await ask({ name: ofAddress, type: "PTR", port });
      expect(answers).toMatchObject([{ data: name }]);
    }
  });

  describe("rewrites and zones: the same answers with a cache and without", () => {
    it.each<[what: string, more: Partial<ClusterDnsProps>, further: typeof questions]>([
      ["rules for names of one zone", { rewrites: bounded }, []],
      ["the same, with a block of their own", { rewrites: bounded, resilience: true }, []],
      [
        "rules for names anywhere",
        { rewrites: [...bounded, ...anywhere] },
        [
          ["nginx.byregex.example", ingress],
          ["pre-a.outside.example", outside],
          ["a-mid-b.outside.example", outside],
        ],
      ],
    ])("%s", async (_, more, further) => {
      const [other, port] = [upstreams[0].port, upstreams[1].port];
      const asked = { zones: zones(port), stubDomains: stubDomains(port, other) };
      const { cluster, cache } = await start({ ...more, ...asked, authoritativeDNS: { corefile: { blocks } } });
      for (const tcp of [false, true])
        for (const [name, expected] of [...questions, ...further])
          for (const server of [cluster, cache])
            expect([name, tcp, await addresses({ name, port: server.port, tcp })]).toEqual([name, tcp, expected]);
      const texts = { name: "www.lab.example", type: "TXT" } as const;
      for (const server of [cluster, cache])
        expect((await ask({ ...texts, port: server.port })).answers).toMatchObject([
          { data: [Buffer.from('say "hi"')] },
        ]);
    });

    it("an alias that leads back through a rule ends, and others are answered", async () => {
      const { api: fake, url } = await dns.api({ shop: {} });
      const externalName = { type: "ExternalName", externalName: "back.outside.example", ports: [] };
      fake.put("services", { metadata: { name: "back", namespace: "shop" }, spec: externalName });
      const rewrites = [{ from: "back.outside.example", to: "back.shop.svc.cluster.local" }];
      const { port, requests } = await dns.cluster({ ...cached, rewrites }, { api: url });
      await addresses({ name: "back.outside.example", port });
      expect(await addresses({ name: "none.shop.svc.cluster.local", port })).toBe("NXDOMAIN");
      // Of thousands at a time, the first 1,000 ask again; each is counted in two blocks.
      expect(await requests()).toBeLessThan(3000);
    });

    it.each(["all names", "a zone"])("waits for the servers of %s as long as the description does", async (of) => {
      const late = await dns.upstream(() => [outside]);
      late.delayMs = 2500;
      const [servers, timeout] = [[`127.0.0.1:${late.port}`], "4s" as const];
      const { cluster, cache } = await start({
        ...(of === "a zone"
          ? { zones: { "outside.example": { forward: { servers, timeout } } } }
          : { upstreamNameservers: servers, upstreamOptions: { timeout } }),
        rewrites: [
          { from: "old.outside.example", to: "new.outside.example" },
          { from: "old.svc.cluster.local", to: "other.outside.example" },
        ],
      });
      const asked = [
        { name: "old.outside.example", port: cache.port },
        { name: "old.svc.cluster.local", port: cluster.port },
      ];
      const got = await Promise.all(asked.map((each) => addresses({ ...each, timeoutMs: 7000 })));
      expect(got).toEqual([outside, outside]);
    });

    it("waits for a server that is silent, and for the next of the list", async () => {
      const silent = await dns.upstream(() => [outside]);
      silent.delayMs = 60_000;
      const upstreamNameservers = [silent, upstreams[0]].map(({ port }) => `127.0.0.1:${port}`);
      const rewrites = [{ from: "old.outside.example", to: "new.outside.example" }];
      const { cache } = await start({
        upstreamNameservers,
        upstreamPolicy: "sequential",
        upstreamOptions: { maxFails: 0 },
        rewrites,
      });
      expect(await addresses({ name: "old.outside.example", port: cache.port, timeoutMs: 7000 })).toBe(outside);
    });

    it("a rewritten part of a name is what the upstream is asked", async () => {
      const { cluster, cache } = await start({ rewrites: anywhere });
      upstreams[0].asked.length = 0;
      for (const { port } of [cluster, cache]) {
        const { answers } = await ask({ name: "pre-a-mid-b.outside.example", port });
        expect(answers).toMatchObject([{ name: "pre-a-mid-b.outside.example", data: outside }]);
      }
      // Others are of plugin `loop`, which asks some time after the start.
      const asked = upstreams[0].asked.filter((each) => !each.includes(" HINFO "));
      expect(new Set(asked)).toEqual(new Set(["udp A x-a-mid-b.outside.example"]));
    });
  });
});
