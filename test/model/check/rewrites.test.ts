import { expect, it } from "vitest";
import type { Rewrite } from "../../../src/model/props/special-names";
import { readExpressions, refusedExpressions } from "../corefile/misfits";
import { faultyKeys, problemsOf } from "./problems";

const target = "nginx.ingress.svc.cluster.local";

it.each<[message: string, rewrite: Rewrite]>([
  ['rewrites[0].from: "a b" is not a DNS name', { from: "a b", to: target }],
  [
    'rewrites[0].from: "*.a.example" is not a DNS name; accepted: a name such as app.corp.example; for all names below, write match: suffix, and from: .a.example',
    { from: "*.a.example", to: target },
  ],
  ['rewrites[0].to: "10.1.1.1" is an address; accepted: a name (hostAliases', { from: "a.example", to: "10.1.1.1" }],
  ['rewrites[0].to: "b.example" and ".a.example" must', { match: "suffix", from: ".a.example", to: "b.example" }],
  ['rewrites[0].from: "a..b" is not a part of a DNS name', { match: "prefix", from: "a..b", to: "c" }],
  ["rewrites[0].to: {0} needs parentheses as well", { match: "regex", from: ".*\\.example", to: "{0}.svc.example" }],
  ["rewrites[0].to: {2} has no", { match: "regex", from: "(.*)\\.example", to: "{2}.svc.cluster.local" }],
  ['rewrites[0].from: "{$HOME}" has no spelling in a Corefile', { match: "regex", from: "{$HOME}", to: target }],
  ["rewrites[0].answer: CoreDNS always changes answers to", { from: "a.example", to: target, answer: "unchanged" }],
  ['rewrites[0].to: "b.cluster.local" is rewritten again,', { match: "substring", from: "b", to: "b.cluster.local" }],
  ['rewrites[0].to: ".cluster.local" is rewritten again,', { match: "suffix", from: ".", to: ".cluster.local" }],
])("refused: %s", (message, rewrite) => {
  expect(problemsOf({ rewrites: [rewrite] })).toEqual([expect.stringContaining(message)]);
});

it.each([...refusedExpressions, "a".repeat(10_001)])("refused: the expression %.20s", (from) => {
  expect(faultyKeys({ rewrites: [{ match: "regex", from, to: target }] })).toEqual(["rewrites[0].from"]);
});

it.each(readExpressions)("but not the expression %s", (from) => {
  expect(faultyKeys({ rewrites: [{ match: "regex", from, to: "b.c.d" }] })).not.toContain("rewrites[0].from");
});

it.each(["from", "to"])("refused: one without %s", (key) => {
  const { [key]: _, ...rewrite } = { match: "suffix", from: "a.example", to: target } as { [key: string]: string };
  expect(faultyKeys({ rewrites: [rewrite as never], resilience: true })).toEqual([`rewrites[0].${key}`]);
});

it("refused: a name that goes from one side to the other and back", () => {
  const b = "b.default.svc.cluster.local";
  const rewrites: Rewrite[] = [
    { from: "a.example", to: b },
    { from: b, to: "a.example" },
  ];
  const again = (i: number) => expect.stringMatching(new RegExp(`^rewrites.${i}.*again, by rewrites.${1 - i}`));
  expect(problemsOf({ rewrites })).toEqual([again(0), again(1)]);
});

it.each<[key: string, rewrite: Rewrite]>([
  ["to", { from: "a.b.svc.cluster.local", to: "a.b.acme.svc.cluster.local" }],
  ["to", { match: "suffix", from: ".b.svc.cluster.local", to: ".b.fed.svc.cluster.local" }],
  ["from", { from: "a.b.acme.svc.cluster.local", to: target }],
  ["from", { from: "a.b.fed.svc.cluster.local", to: target }],
  ["from", { match: "suffix", from: ".a.db.svc.cluster.local", to: ".b.example" }],
])("refused: names that tenants, a federation or a stub domain have: %s of %j", (key, rewrite) => {
  const tenancy = { tenants: [{ name: "acme", namespaces: ["b"] }] };
  const federation = { name: "fed", zone: "z1", region: "r1", domain: "fed.example" };
  const stubDomains = { "db.svc.cluster.local": ["10.1.1.1"] };
  expect(faultyKeys({ rewrites: [rewrite], tenancy, federation, stubDomains })).toEqual([`rewrites[0].${key}`]);
});

it("refused: names where hard isolation checks who asks before, or would see the server ask", () => {
  const tenancy = { isolation: "hard", tenants: [{ name: "acme", namespaces: ["shop"] }] } as const;
  const regex: Rewrite = { match: "regex", from: "^y(.*)", to: target };
  const own = ["a.shop.svc.cluster.local", "a.shop.acme.svc.cluster.local", "a.kube-system.svc.cluster.local"];
  const rewrites = [{ from: "app.example", to: target }, regex, ...own.map((to, i) => ({ from: `${i}.example`, to }))];
  const problems = problemsOf({ tenancy, rewrites, nodeLocalDNS: { state: "disabled" } });
  expect(problems.filter((each) => each.startsWith("rewrites"))).toEqual([
    expect.stringContaining("rewrites[1]: may be for names of cluster.local"),
    expect.stringContaining("rewrites[2].to: "),
    expect.stringContaining("rewrites[3].to: "),
  ]);
});

it("refused: where the Corefile is not ours, and names that are aliases as well", () => {
  const rewrites: Rewrite[] = [{ from: "app.example", to: target }];
  expect(problemsOf({ rewrites, authoritativeDNS: { kind: "Existing" } })[0]).toMatch(/^rewrites: needs our/);
  expect(problemsOf({ rewrites, hostAliases: [{ ip: "10.1.1.1", hostnames: ["app.example"] }] })).toEqual([
    'hostAliases[0].hostnames[0]: "app.example" is rewritten first, by rewrites[0]; keep one',
  ]);
});

// The zone's block is the longer match, and has no rules.
it.each<Rewrite>([
  { from: "a.lab.example", to: target },
  { match: "suffix", from: ".old.lab.example", to: ".lab.example" },
])("refused: names of a zone that is answered: $from", (rewrite) => {
  const zones = { "lab.example": { records: { b: { A: ["10.1.1.1"] } } } };
  expect(problemsOf({ rewrites: [rewrite], zones })).toEqual([
    expect.stringMatching(/^rewrites\[0\]\.from: .* is in lab\.example, which zones answers/),
  ]);
  const forwarded = { "lab.example": { forward: { servers: ["10.1.1.1"] } } };
  expect(problemsOf({ rewrites: [rewrite], zones: forwarded })).toEqual([]);
});

it("refused: names of a block of its own, but not of a stub domain below it", () => {
  const authoritativeDNS = { corefile: { blocks: "lab.example {\n  forward . 10.1.1.1\n}" } };
  const stubDomains = { "b.lab.example": ["10.1.1.2"] };
  const rewrites: Rewrite[] = ["a.lab.example", "a.b.lab.example"].map((from) => ({ from, to: target }));
  const hostAliases = [{ ip: "10.1.1.1", hostnames: ["c.lab.example", "c.b.lab.example"] }];
  const faulty = faultyKeys({ authoritativeDNS, stubDomains, rewrites, hostAliases });
  expect(faulty).toEqual(["rewrites[0].from", "hostAliases[0].hostnames[0]"]);
});

it.each<[what: string, rewrite: Rewrite]>([
  ["an ingress", { from: "app.corp.example", to: target }],
  ["all names of a zone", { match: "suffix", from: ".corp.example", to: ".default.svc.cluster.local" }],
  ["named groups", { match: "regex", from: "(?P<a>.*)\\.corp\\.example\\.", to: "{1}.default.svc.cluster.local" }],
  ["what JavaScript would try for ever", { match: "regex", from: "(a+)+$", to: `${"a".repeat(60)}.example` }],
  ["a zone that moved", { match: "suffix", from: ".example", to: ".new.example" }],
])("but not %s", (_, rewrite) => expect(problemsOf({ rewrites: [rewrite] })).toEqual([]));
