import { expect, it } from "vitest";
import { asBlocks, expectTaken, fromCorefile, type Row, stub, stubbed } from "./from-corefile";
import { corefile } from "./objects";

const toB = { from: "a.example", to: "b.example" };

/** The rule, its entry of `rewrites`, and what of it cannot be said. */
it.each<[rule: string, rewrite: object, left?: string[]]>([
  ["name a.example b.example", toB],
  [
    "name exact a.example b.example answer value (.*)\\.b {1}.a",
    { ...toB, answer: [{ part: "value", from: "(.*)\\.b", to: "{1}.a" }] },
  ],
  ["stop name suffix .a.example. .b.example. answer auto", { match: "suffix", from: ".a.example", to: ".b.example" }],
  ["name prefix a b", { match: "regex", from: "^a((?:\\..*)?)\\.$", to: "b{1}", answer: "unchanged" }],
  [
    "name substring a b",
    { match: "regex", from: "^(.*?)a((?:\\..*)?)\\.$", to: "{1}b{2}", answer: "unchanged" },
    ["rewrite name substring a b more than once in a name"],
  ],
  [
    "stop { name regex (.*)\\.a {1}.b; answer name (.*)\\.b {1}.a }",
    { match: "regex", from: "(.*)\\.a", to: "{1}.b", answer: [{ part: "name", from: "(.*)\\.b", to: "{1}.a" }] },
  ],
])("rewrite %s", (rule, rewrite, left) => expectTaken(corefile(`rewrite ${rule}`), { rewrites: [rewrite] }, left));

it("a rule may lead to another domain of its server block", () => {
  const text = corefile("rewrite name a.example a.b.svc.corp.local");
  const { left } = fromCorefile(text.replace("cluster.local in", "cluster.local corp.local in"));
  expect(left.filter((each) => each.includes("does not ask"))).toEqual([]);
});

it.each<Row>([
  [
    "a rule that leads to another server block, which CoreDNS does not ask",
    corefile("rewrite name suffix .a.example .Corp.example answer auto", undefined, stub("corp.example")),
    { rewrites: [{ match: "suffix", from: ".a.example", to: ".Corp.example" }], ...stubbed },
    ["rewrite name suffix .a.example .Corp.example answer auto: CoreDNS does not ask its block of corp.example for"],
  ],
  ["a rule before others", corefile("rewrite continue name a.example b.example"), { rewrites: [toB] }],
  [
    "such a rule before one that has a key",
    corefile("rewrite continue name a.example b.example; rewrite name c.example d.example"),
    { rewrites: [{ from: "c.example", to: "d.example" }] },
    ["rewrite continue name a.example b.example: rewrite cannot be added to a block of ours:"],
  ],
  [
    "hosts",
    corefile("hosts { 10.1.2.3 db.example c.example; ttl 60; fallthrough }"),
    { hostAliases: [{ ip: "10.1.2.3", hostnames: ["db.example", "c.example"] }] },
    ["hosts ttl 60; ours: ttl 3600"],
  ],
  [
    "hosts with names that are none, or are the cluster's",
    corefile("hosts { 10.1.2.3 db.example *.apps.example 10.1.2.9; 10.1.2.4 a.b.svc.cluster.local; fallthrough }"),
    { hostAliases: [{ ip: "10.1.2.3", hostnames: ["db.example"] }] },
    [
      "hosts entry 10.1.2.3 *.apps.example; ours: entry 10.1.2.3 db.example",
      "hosts entry 10.1.2.3 10.1.2.9; ours: entry 10.1.2.3 db.example",
      "hosts entry 10.1.2.4 a.b.svc.cluster.local; ours: entry 10.1.2.3 db.example",
    ],
  ],
  [
    "hosts for some zones, whose other names it does not answer",
    corefile("hosts a.hosts corp.example lab.example { 10.1.2.3 a.corp.example b.example; no_reverse; fallthrough }"),
    { hostAliases: [{ ip: "10.1.2.3", hostnames: ["a.corp.example"] }] },
    [
      "no hosts; ours: entry 10.1.2.3 a.corp.example (in-addr.arpa, ip6.arpa)",
      'hosts file a.hosts: hosts reads "a.hosts", which',
    ],
  ],
  [
    "hosts for one zone, which answers the reverse names of its entries, too",
    corefile("hosts /dev/null corp.example { 10.1.2.3 a.corp.example; fallthrough }"),
    { hostAliases: [{ ip: "10.1.2.3", hostnames: ["a.corp.example"] }] },
    [],
  ],
  [
    "hosts beside a block that answers reverse names without them",
    corefile("hosts { 10.1.2.3 a.corp.example; fallthrough }", undefined, stub("10.in-addr.arpa")),
    {
      hostAliases: [{ ip: "10.1.2.3", hostnames: ["a.corp.example"] }],
      ...asBlocks("10.in-addr.arpa:53 { forward . 10.1.2.3; cache 30 }"),
    },
    [],
  ],
  [
    "hosts of a file that is not there, for one zone",
    corefile("hosts /etc/coredns/a.db corp.local { fallthrough }"),
    {},
    ['hosts file /etc/coredns/a.db, ttl 3600, fallthrough yes: hosts reads "/etc/coredns/a.db",'],
  ],
  [
    "rules and hosts for names of a block, which never see them",
    corefile(
      "rewrite name a.corp.example b.example; hosts { 10.1.1.1 h.corp.example; fallthrough }",
      undefined,
      stub("corp.example", "log; cache 30"),
    ),
    asBlocks("corp.example:53 { forward . 10.1.2.3; log; cache 30 }"),
    // What it lacks is the reverse name.
    ["hosts entry 10.1.1.1 h.corp.example, ttl 3600, fallthrough yes"],
  ],
])("rules and hosts: %s", (_, text, said, left) => expectTaken(text, said, left));

it("what must be corrected hides nothing of the rest", () => {
  const rules = "rewrite continue name a.example b.example; rewrite name substring in in.corp";
  const hosts = "hosts { 10.1.2.3 db.example; ttl 60; fallthrough }";
  const { left } = fromCorefile(corefile(`${rules}; ${hosts}`));
  expect(left.filter((each) => /^(rewrite continue|hosts ttl)/.test(each))).toHaveLength(2);
});
