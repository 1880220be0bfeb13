import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { ask } from "../../../../rig/coredns/ask";
import { whyNoCoreDNS } from "../../../../rig/coredns/coredns";
import { putHeadless } from "../../../../rig/coredns/objects";
import { configHash } from "../../../../src/model/corefile/hash";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import type { SearchPathOptions } from "../../../../src/model/props/node-local-dns";
import { type DnsServer, notThere, type Reply } from "../../../../rig/dns-server";
import { lookUp, type Resolver, podAddress } from "../../../../rig/coredns/look-up";
import { until } from "../../../../rig/until";
import { cached, type CoreDnsAndCache, SmallDns } from "../../lib/small-dns";

const domain = "cluster.local";
/** With their Services. */
const namespaces = {
  default: { kubernetes: "10.96.0.1" },
  prod: { web: "10.96.1.1" },
  dev: { api: "10.96.1.2" },
  shop: {},
};
const namespaceNames = Object.keys(namespaces);
const nodeDomains = ["eu.corp.example", "corp.example"];
const manyAddresses = Array.from({ length: 200 }, (_, i) => `203.0.113.${i}`);

/** Names outside, and what they have. */
const known: { readonly [name: string]: Exclude<Reply, string> } = {
  "github.com": ["140.82.0.1"],
  "api.dev": ["203.0.113.9"],
  "www.example.com": ["203.0.113.10"],
  "a.b.c.example.com": ["203.0.113.11"],
  "many.a.example.com": manyAddresses,
  "broken.a.b": ["203.0.113.12"],
  "broken.a.b.corp.example": { rcode: 2 },
  "half.a.b": ["203.0.113.13"],
  "half.a.b.eu.corp.example": [],
  "alias.a.example.com": {
    records: [
      { type: "CNAME", name: "alias.a.example.com", ttl: 30, data: "cdn.example.net" },
      { type: "A", name: "cdn.example.net", ttl: 30, data: "203.0.113.14" },
    ],
  },
  "nothere.example.com": { rcode: 3 },
};

type Question = { readonly name: string; readonly type: string };

function answerKnown({ name, type }: Question): Reply {
  const reply = known[name.toLowerCase()] ?? { rcode: 3 };
  return type === "AAAA" && Array.isArray(reply) ? [] : reply;
}

/** Of names that are not known, every third exists. */
function answerRandom(question: Question): Reply {
  const isThird = Number.parseInt(configHash(question.name.toLowerCase()), 16) % 3 === 0;
  if (question.name.toLowerCase() in known || !isThird) return answerKnown(question);
  return question.type === "A" ? ["203.0.113.99"] : [];
}

const path = (own: string) => [`${own}.svc.${domain}`, `svc.${domain}`, domain];
const pathOf = (name: string) => [...path(name), ...nodeDomains];

describe.skipIf(whyNoCoreDNS)(`the search path, walked by the cache${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
  const dns = new SmallDns();
  let upstream: DnsServer;
  let api: string;
  beforeAll(async () => {
    upstream = await dns.upstream(answerKnown);
    const { api: fake, url } = await dns.api(namespaces);
    api = url;
    putHeadless(fake, "prod", "db", "db-0", "10.245.0.1");
    putHeadless(fake, "shop", "com", "github", "10.245.0.2");
  });

  async function start(more: Partial<ClusterDnsProps>, searchPath?: SearchPathOptions): Promise<CoreDnsAndCache> {
    const props: ClusterDnsProps = { ...cached, upstreamNameservers: [`127.0.0.1:${upstream.port}`], ...more };
    // What a cluster already has may be anything: here, what we would render.
    const ofCluster = more.authoritativeDNS?.kind === "Existing" ? { ...props, authoritativeDNS: {} } : props;
    const cluster = await dns.cluster(ofCluster, { api });
    const walking = { ...props, nodeLocalDNS: { ...props.nodeLocalDNS, ...(searchPath && { searchPath }) } };
    return { cluster, cache: await dns.cache(cluster.port, walking, { api }) };
  }

  /** Plain, and walked. */
  async function startBoth(more: Partial<ClusterDnsProps> = {}, further: Partial<SearchPathOptions> = {}) {
    const [plain, walked] = await Promise.all([start(more), start(more, { nodeDomains, ...further })]);
    return { plain, walked };
  }
  type Both = Awaited<ReturnType<typeof startBoth>>;

  const ofPod = { library: "glibc", searches: pathOf("default"), ndots: 5, types: ["A", "AAAA"], tcp: false } as const;

  async function compare(name: string, { plain, walked }: Both, resolver: Omit<Resolver, "port"> = ofPod) {
    const [before, after]: [string[], string[]] = [[], []];
    const expected = await lookUp(name, { ...resolver, port: plain.cache.port }, before);
    const found = await lookUp(name, { ...resolver, port: walked.cache.port }, after);
    return { expected, found, before: before.length, after: after.length };
  }

  describe("to a pod", () => {
    let both: Both;
    beforeAll(async () => {
      both = await startBoth();
    });
    const table: [name: string, queries: number, walked: number, status: string][] = [
      ["kubernetes", 2, 2, "NOERROR"],
      ["web.prod", 4, 4, "NOERROR"],
      ["web.prod.svc", 6, 2, "NOERROR"],
      ["web.prod.svc.cluster.local", 12, 2, "NOERROR"],
      ["db-0.db.prod", 4, 2, "NOERROR"],
      ["db-0.db.prod.svc.cluster.local", 2, 2, "NOERROR"],
      ["db-1.db.prod.svc.cluster.local", 12, 12, "NXDOMAIN"],
      // A Service in the cluster, and a name on the internet.
      ["api.dev", 4, 4, "NOERROR"],
      ["github.com", 12, 12, "NOERROR"],
      ["www.example.com", 12, 2, "NOERROR"],
      ["alias.a.example.com", 12, 2, "NOERROR"],
      ["a.b.c.example.com", 12, 2, "NOERROR"],
      ["a.b.c.d.e.nothere.example.com", 12, 12, "NXDOMAIN"],
      ["nothere.example.com", 12, 12, "NXDOMAIN"],
      ["half.a.b", 12, 12, "NOERROR"],
      ["broken.a.b", 12, 12, "NOERROR"],
      ["_http._tcp.db.prod", 4, 4, "NOERROR"],
      ["_http._tcp.db.example.com", 12, 12, "NXDOMAIN"],
    ];
    it.each(table)("%s costs %i queries by itself, %i walked", async (name, before, after, status) => {
      const got = await compare(name, both);
      expect(got).toMatchObject({ before, after, expected: { status } });
      expect(got.found).toEqual(got.expected);
    });

    const ways = (["glibc", "musl"] as const).flatMap((library) => [
      { library, tcp: false, types: ["A", "AAAA"] as const },
      { library, tcp: false, types: ["AAAA"] as const },
      { library, tcp: true, types: ["A"] as const },
    ]);
    it.each(ways)("the same answers: %j", async (way) => {
      for (const [name] of table) {
        const { found, expected } = await compare(name, both, { ...ofPod, ...way });
        expect([name, found]).toEqual([name, expected]);
      }
    });

    it("answers that do not fit into a packet come over TCP", async () => {
      const { found, after } = await compare("many.a.example.com", both, { ...ofPod, tcp: true, types: ["A"] });
      expect({ count: found.data.length, after }).toEqual({ count: manyAddresses.length, after: 1 });
    });

    const first = `www.example.com.default.svc.${domain}`;
    it("has the name as it was asked, and then the one that was found", async () => {
      const name = first.replace("www.example", "wWw.ExAmple");
      const { answers } = await ask({ name, port: both.walked.cache.port, from: podAddress });
      expect(answers).toMatchObject([
        { type: "CNAME", data: "www.example.com" },
        { type: "A", name: "www.example.com" },
      ]);
      expect(answers[0]?.name.toLowerCase()).toBe(first);
    });

    it("a name that is nowhere is so in the cluster's zone, for as long as other names there", async () => {
      const name = `a.nothere.example.com.default.svc.${domain}`;
      const { rcode, authorities } = await ask({ name, port: both.walked.cache.port, from: podAddress });
      expect({ rcode, authorities }).toMatchObject({
        rcode: "NXDOMAIN",
        authorities: [{ type: "SOA", name: domain, ttl: 5 }],
      });
    });

    it("who asks for signatures walks alone", async () => {
      const { rcode } = await ask({ name: first, port: both.walked.cache.port, from: podAddress, dnssecOk: true });
      expect(rcode).toBe("NXDOMAIN");
    });
  });

  it("asks the cluster's DNS for namespaces and endpoints, and for nothing that it cannot have", async () => {
    const cluster = await dns.upstream(({ name }) => (name.startsWith("default.svc.") ? [] : { rcode: 3 }));
    const upstreamNameservers = [`127.0.0.1:${upstream.port}`];
    const props = { ...cached, upstreamNameservers, nodeLocalDNS: { searchPath: { nodeDomains } } };
    const cache = await dns.cache(cluster.port, props, { api });
    const resolver = { ...ofPod, types: ["A"], port: cache.port } as const;
    for (const name of ["www.example.com", "a.b.c.example.com", "a.b.nothere.example.com"])
      await lookUp(name, resolver, []);
    // Others are of plugin `loop`, and of who waits until CoreDNS answers.
    expect(new Set(cluster.asked.filter((each) => each.endsWith(`.svc.${domain}`)))).toEqual(
      new Set(["default", "www.example.com", "com"].map((name) => `tcp A ${name}.svc.${domain}`)),
    );
  });

  it("a name of two labels is walked where no Service has the name of its last", async () => {
    const both = await startBoth({}, { topLevelDomains: ["com"], nodeDomains: [] });
    expect(await compare("github.com", both)).toMatchObject({
      before: 12,
      after: 2,
      found: { canonical: "github.com" },
    });
    expect(await compare("api.dev", both)).toMatchObject({ before: 4, after: 4 });
    const inShop = await compare("github.com", both, { ...ofPod, searches: pathOf("shop") });
    expect(inShop.found).toEqual(inShop.expected);
    const few = ["github.com", "www.example.com", "a.b.c.example.com", "nothere.example.com"];
    let [before, after] = [0, 0];
    for (const name of [...few, "api.dev", "web.prod", "kubernetes"]) {
      const queries = await compare(name, both, { ...ofPod, searches: path("default") });
      [before, after] = [before + queries.before, after + queries.after];
    }
    expect({ before, after }).toEqual({ before: 42, after: 24 });
  });

  it("is as before while the cluster's DNS is down", async () => {
    const both = await startBoth();
    await both.plain.cluster.stop();
    await both.walked.cluster.stop();
    for (const library of ["glibc", "musl"] as const)
      for (const name of ["www.example.com", "web.prod"]) {
        const { found, expected } = await compare(name, both, { ...ofPod, library });
        expect([library, name, found]).toEqual([library, name, expected]);
      }
  });

  it("gives the last answer while servers outside are silent, however many domains the nodes have", async () => {
    const short = { success: { ttl: 1 }, denial: { ttl: 1 } };
    const six = [...nodeDomains, ...["a", "b", "c", "d"].map((each) => `${each}.corp.example`)];
    upstream.answer = ({ name }) => (name === "www.example.com" ? ["203.0.113.10"] : notThere);
    const { cache } = await start({ resilience: true, nodeLocalDNS: { cache: short } }, { nodeDomains: six });
    const resolver = { ...ofPod, library: "musl", types: ["A"], searches: [...path("default"), ...six] } as const;
    const find = () => lookUp("www.example.com", { ...resolver, port: cache.port }, []);
    expect(await find()).toMatchObject({ status: "NOERROR" });
    upstream.answer = () => "silence";
    await until("the last answer, once it has expired", 60, async () => {
      const before = upstream.asked.length;
      const { status } = await find();
      return status === "NOERROR" && upstream.asked.slice(before).includes("udp A www.example.com");
    });
    upstream.answer = answerKnown;
  });

  const tenants = [
    { name: "green", namespaces: ["prod"] },
    { name: "blue", namespaces: ["dev"] },
  ];
  const more: [
    what: string,
    props: Partial<ClusterDnsProps>,
    options?: Partial<SearchPathOptions>,
    searches?: string[],
  ][] = [
    ["nothing else", {}],
    ["names of two labels", {}, { topLevelDomains: ["com", "example"] }],
    ["a DNS that the cluster has", { authoritativeDNS: { kind: "Existing" } }],
    ["a federation", { federation: { name: "local", domain: "fed.example", region: "eu", zone: "a" } }],
    [
      "names with answers of their own",
      {
        hostAliases: [{ ip: "192.0.2.1", hostnames: ["www.web.example"] }],
        rewrites: [{ from: "api.github.com", to: "web.prod.svc.cluster.local" }],
        zones: { "example.local": { records: { "*": { A: ["192.0.2.2"] } } } },
      },
    ],
    [
      "names in the cluster domain with answers of their own",
      {
        rewrites: [
          { match: "suffix", from: ".web.dev.svc.cluster.local", to: ".github.com" },
          { from: "www.web.api.dev.svc.cluster.local", to: "github.com" },
        ],
        zones: { "com.svc.cluster.local": { records: { "*": { A: ["192.0.2.3"] } } } },
      },
    ],
    ["other servers for a part of it", { stubDomains: { "github.svc.cluster.local": ["127.0.0.1:STUB"] } }],
    ["no IPv6", { filterAAAA: true }],
    ["no IPv4", { clusterDNS: ["fd00:96::a"], dns64: "64:ff9b::/96" }],
    ["all names asked there", { nodeLocalDNS: { askClusterDNS: "all" } }],
    ["tenants", { tenancy: { tenants } }],
    ["tenants' own paths", { tenancy: { tenants } }, {}, path("prod.green").toSpliced(1, 0, `green.svc.${domain}`)],
    [
      "tenants' own paths, short",
      { tenancy: { tenants, isolation: "soft" } },
      {},
      [`prod.green.svc.${domain}`, `green.svc.${domain}`],
    ],
  ];

  const ofOthers = ["web", "api", "db", "db-0", "www", "github", "com", "example", "corp", "x-1", "green"];
  const label = fc.constantFrom(...ofOthers, ...namespaceNames, "svc", "cluster", "local", "pod");
  const randomName = fc.array(label, { minLength: 1, maxLength: 6 }).map((labels) => labels.join("."));
  const ending = fc.constantFrom("", ".svc", ".svc.cluster.local", ".example.com", ".corp.example");
  const question = fc.record({
    name: fc.tuple(randomName, ending).map(([labels, end]) => labels + end),
    from: fc.constantFrom(...namespaceNames),
    library: fc.constantFrom("glibc" as const, "musl" as const),
    ndots: fc.constantFrom(1, 2, 5, 6),
    types: fc.constantFrom<Resolver["types"]>(["A", "AAAA"], ["A"], ["AAAA"], ["TXT"]),
    // The servers outside are slow over TCP.
    tcp: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  });

  it.each(more)("the same answers for random names, with %s", async (_, props, options = {}, searches) => {
    const stubbed = JSON.parse(JSON.stringify(props).replaceAll("STUB", String(upstream.port))) as typeof props;
    const both = await startBoth(stubbed, options);
    upstream.answer = answerRandom;
    const seen = { found: 0, before: 0, after: 0 };
    await fc.assert(
      fc.asyncProperty(question, async ({ name, from, ...way }) => {
        fc.pre(!isBeyondLimit(name, options.topLevelDomains));
        const got = await compare(name, both, { ...way, searches: searches ?? pathOf(from) });
        expect(got.found).toEqual(got.expected);
        seen.before += got.before;
        seen.after += got.after;
        seen.found += got.expected.data.length > 0 ? 1 : 0;
      }),
      { numRuns: 40, seed: 1 },
    );
    // Otherwise the names are worthless.
    expect(seen.found).toBeGreaterThan(3);
    expect(seen.after).toBeLessThan(seen.before);
  });
});

/**
 * What names nothing in Kubernetes, and ends in a namespace: a pod of that namespace, which looks for the name without it,
 * asks for the same.
 */
function isBeyondLimit(name: string, topLevelDomains: readonly string[] = []): boolean {
  const labels = name.replace(/(\.green)?(\.svc(\.cluster\.local)?)?$/, "").split(".");
  return (
    namespaceNames.includes(labels.at(-1) ?? "") &&
    (labels.length > 3 || (labels.length === 3 && topLevelDomains.includes(labels[1] ?? "")))
  );
}
