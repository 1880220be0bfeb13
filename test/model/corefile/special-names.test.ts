import { describe, expect, it } from "vitest";
import { authoritativeCorefileOf, nodeLocalDnsCorefileOf, filesOf } from "../../../rig/coredns/corefile-of";
import { lineOf } from "../../../src/model/corefile/line";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { cached } from "../../cached";
import { seenBy } from "./seen-by";

const target = "nginx.ingress.svc.cluster.local";

/** The directives with a name that see names of a zone. */
function lines(who: "cluster" | "cache", zone: string, name: string, props: Partial<ClusterDnsProps>): string[] {
  const corefile = { cluster: authoritativeCorefileOf, cache: nodeLocalDnsCorefileOf }[who]({ ...cached, ...props });
  return seenBy(corefile, zone).flatMap((each) => (each.name === name ? [lineOf(each)] : []));
}

/** Where the cache asks for names of a zone. */
function askedBy(zone: string, props: Partial<ClusterDnsProps>): "cluster" | "outside" {
  const [forward = ""] = lines("cache", zone, "forward", props);
  return forward.includes("169.254.20.12") ? "cluster" : "outside";
}

const suffix = { match: "suffix", from: ".a.example", to: ".b.example" } as const;

describe("rewrites", () => {
  const regex = { match: "regex", from: "(.*)", to: "{1}.a" } as const;
  const name = { part: "name", from: "(.*)\\.a\\.", to: "{1}." } as const;
  const parts = [name, { part: "value", from: "x", to: "y" } as const];
  it.each<[rule: string, rewrite: NonNullable<ClusterDnsProps["rewrites"]>[number]]>([
    [`rewrite stop name exact app.example ${target}`, { from: "app.example", to: target }],
    ["rewrite stop name suffix .a.example .b.example answer auto", suffix],
    ["rewrite stop name regex ^pre-(.*)\\.$ x-{1}. answer auto", { match: "prefix", from: "pre-", to: "x-" }],
    ["rewrite stop name regex ^(.*?)a\\.b(.*)\\.$ {1}c{2}. answer auto", { match: "substring", from: "a.b", to: "c" }],
    ["rewrite stop name regex (.*) {1}.a", { ...regex, answer: "unchanged" }],
    ["rewrite stop name regex (.*) {1}.a answer name (.*)\\.a\\. {1}. answer value x y", { ...regex, answer: parts }],
  ])("%s", (rule, rewrite) => expect(lines("cluster", "example", "rewrite", { rewrites: [rewrite] })).toEqual([rule]));

  it("of reverse names are where these are asked: with the cluster's, or a stub domain's", () => {
    const rewrites = [{ from: "1.2.1.10.in-addr.arpa", to: "a.example" }];
    const stubDomains = { "1.10.in-addr.arpa": ["10.1.1.1"] };
    for (const zone of ["in-addr.arpa", "1.10.in-addr.arpa"])
      expect(lines("cluster", zone, "rewrite", { rewrites, stubDomains })).toHaveLength(1);
  });

  it("of the cluster's names are in their block, and send what lies outside to the other blocks", () => {
    const rewrites = [{ from: "a.default.svc.cluster.local", to: "b.example" }];
    const [forward, ...more] = lines("cluster", "cluster.local", "forward", { rewrites });
    expect([forward, more]).toEqual([
      "forward . 127.0.0.1:53 { max_concurrent 1000; max_age 15s; read_timeout 5s; max_fails 0 }",
      [],
    ]);
    expect(lines("cluster", "in-addr.arpa", "forward", { rewrites })[0]).toContain("/etc/resolv.conf");
    expect(lines("cluster", "example", "rewrite", { rewrites })).toEqual([]);
    const zones = { "2.0.192.in-addr.arpa": { records: {} } };
    const reverse = authoritativeCorefileOf({ ...cached, rewrites, zones }).filter(({ keys }) => keys.length === 3);
    const forwards = reverse.flatMap(({ plugins }) => plugins.filter((each) => each.name === "forward"));
    expect(forwards.map(({ args }) => args.join(" "))[0]).toBe("2.0.192.in-addr.arpa 127.0.0.1:53");
  });
});

const records = { records: { www: { A: ["10.1.1.1"] } } };

describe("the cache asks the cluster's DNS for names that it answers otherwise", () => {
  const ofAny = { match: "prefix", from: "a", to: "b" } as const;
  const corp = { "corp.example": ["10.1.1.1"] };
  const existing = { authoritativeDNS: { kind: "Existing" } } as const;
  const askedOfStub = { ...existing, nodeLocalDNS: { askClusterDNS: ["corp.example"] }, stubDomains: corp };
  const [db, ofDb] = [{ "db.svc.cluster.local": ["10.1.1.1"] }, { "lab.db.svc.cluster.local": records }];
  const ofA = { "a.corp.example": ["10.1.1.1"] };
  const ofCoreDNS = (zone: string) => ({
    authoritativeDNS: { corefile: { blocks: `${zone} {\n view a {\n expr true\n }\n any\n}` } },
  });
  const both = { corefile: { blocks: "corp.example {\n forward . 169.254.20.9\n}" } };
  const inBoth = { authoritativeDNS: both, nodeLocalDNS: both };
  it.each<[what: string, zone: string, asked: ReturnType<typeof askedBy>, props: Partial<ClusterDnsProps>]>([
    ["an exact rewrite", "app.example", "cluster", { rewrites: [{ from: "app.example", to: target }] }],
    ["not names beside it", "example", "outside", { rewrites: [{ from: "app.example", to: target }] }],
    ["a suffix", "x.a.example", "cluster", { rewrites: [suffix] }],
    ["all names, where a rule may be for any", "b.example", "cluster", { rewrites: [ofAny] }],
    ["also of stub domains", "corp.example", "cluster", { rewrites: [ofAny], stubDomains: corp }],
    ["a zone with records", "lab.example", "cluster", { zones: { "lab.example": records } }],
    ["in a stub domain", "lab.corp.example", "cluster", { zones: { "lab.corp.example": records }, stubDomains: corp }],
    ["no forwarded", "lab.example", "outside", { zones: { "lab.example": { forward: { servers: ["10.1.1.1"] } } } }],
    ["what another has", "lab.example", "cluster", { ...existing, nodeLocalDNS: { askClusterDNS: ["lab.example"] } }],
    ["also of a stub domain", "a.corp.example", "cluster", { ...askedOfStub }],
    ["below a stub domain of the cluster's", "lab.db.svc.cluster.local", "cluster", { zones: ofDb, stubDomains: db }],
    ["a view of a stub domain", "corp.example", "cluster", { ...ofCoreDNS("corp.example"), stubDomains: corp }],
    ["a stub domain below that", "a.corp.example", "outside", { ...ofCoreDNS("corp.example"), stubDomains: ofA }],
    [
      "a zone below a block of both",
      "lab.corp.example",
      "cluster",
      { ...inBoth, zones: { "lab.corp.example": records } },
    ],
    ["a stub domain below one", "a.corp.example", "outside", { ...inBoth, stubDomains: ofA }],
    ["or everything that it may answer", "example", "cluster", { ...existing, nodeLocalDNS: { askClusterDNS: "all" } }],
  ])("%s", (_, zone, asked, props) => {
    expect(askedBy(zone, props)).toBe(asked);
  });

  it("aliases that a view may answer otherwise, but not those in a stub domain below it", () => {
    const hostAliases = [{ ip: "10.1.1.1", hostnames: ["a.example", "a.a.corp.example", "a.test"] }];
    const props = { ...ofCoreDNS("example"), stubDomains: ofA, hostAliases };
    expect(lines("cache", "test", "hosts", props)).toEqual([
      "hosts /dev/null . { 10.1.1.1 a.a.corp.example a.test; no_reverse; fallthrough }",
    ]);
  });
});

describe("zones", () => {
  it("with records are files beside the Corefile", () => {
    const www = { A: ["10.1.1.1", "10.1.1.2"], TXT: ['a "b"'] };
    const props = { ...cached, zones: { "Lab.example.": { ttl: 60, records: { www } } } };
    expect(filesOf(props)).toMatchSnapshot();
    const file = "file /etc/coredns/db.lab.example lab.example { reload 0 }";
    expect(lines("cluster", "lab.example", "file", props)).toEqual([file]);
  });

  const blocksOf = (zone: NonNullable<ClusterDnsProps["zones"]>[string]) =>
    authoritativeCorefileOf({ ...cached, zones: { "lab.example": zone } })
      .filter(({ keys }) => keys[0]?.zone === "lab.example")
      .map(({ plugins }) => plugins.filter(({ name }) => !/^(errors|bufsize|prometheus)$/.test(name)).map(lineOf));

  const templates = [{ type: "A", rcode: "NXDOMAIN" }] as const;
  const ofA = { type: "A", match: "^a\\.", answer: ["{{ .Name }} 60 IN A 10.1.2.3"] } as const;
  it.each<[what: string, zone: NonNullable<ClusterDnsProps["zones"]>[string]]>([
    ["with records have an answer for each name", records],
    ["without a record of a name ask outside, over UDP and TCP, if falling through", { ...records, fallthrough: true }],
    ["of templates have an NXDOMAIN of their own", { templates }],
    ["of templates that fall through have none", { templates, fallthrough: true }],
    // musl takes NXDOMAIN for one type for the whole name.
    [
      "have no NXDOMAIN for other types of a name that a template answers",
      { templates: [ofA, { type: "TXT", match: "^b\\.", rcode: "NXDOMAIN" }] },
    ],
  ])("%s", (_, zone) => expect(blocksOf(zone)).toMatchSnapshot());

  it("have a TXT record in strings of at most 255 bytes, and whatever their file says", () => {
    const [long, file] = ["a".repeat(256), "@ 60 IN SOA ns hostmaster 1 2 3 4 5\n"];
    const zones = { "a.example": { records: { "@": { TXT: [long, ""] } } }, "b.example": { file } };
    const files = filesOf({ ...cached, zones });
    expect(files["db.a.example"]).toContain(`@ IN TXT "${"a".repeat(255)}" "a"\n@ IN TXT ""\n`);
    expect(files["db.b.example"]).toBe(file);
  });

  it("have their blocks in one order", () => {
    const zones = (names: string[]) => Object.fromEntries(names.map((name) => [name, records]));
    const of = (names: string[]) => authoritativeCorefileOf({ ...cached, zones: zones(names) });
    expect(of(["b.example", "C.example", "a.example"])).toEqual(of(["a.example", "b.example", "C.example"]));
  });

  it("with servers have the options of a forward, in CoreDNS and in the cache", () => {
    const forward = { servers: ["10.1.1.1:5"], tlsServerName: "a.b", protocol: "tcp", failover: ["SERVFAIL"] } as const;
    for (const who of ["cluster", "cache"] as const)
      expect(lines(who, "a.example", "forward", { zones: { "a.example": { forward } } })).toEqual([
        "forward a.example tls://10.1.1.1:5 { force_tcp; max_concurrent 1000; max_age 15s; tls_servername a.b; failover SERVFAIL }",
      ]);
  });
});

it.each<[type: string, answer: readonly string[]]>([
  ["A", ["{{ .Name }} 60 IN A 10.1.2.3", "{{ .Name }} 60 IN A 10.1.2.4"]],
  ["ANY", ["{{ .Name }} 60 IN A 10.1.2.3", "{{ .Name }} 60 IN TXT x"]],
  ["ANY", ["{{ .Name }} 60 IN CNAME b.example."]],
  ["ANY", []],
])("a template without a type answers %s, by its records: %j", (type, answer) => {
  const zones = { "t.example": { templates: [{ answer }] } };
  expect(lines("cluster", "t.example", "template", { zones })[0]).toMatch(new RegExp(`^template IN ${type}\\b`));
});
