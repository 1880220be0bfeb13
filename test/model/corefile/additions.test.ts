import { expect, it } from "vitest";
import { authoritativeCorefileOf, nodeLocalDnsCorefileOf } from "../../../rig/coredns/corefile-of";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { Corefile } from "../../../src/model/corefile/corefile";
import { lineOf } from "../../../src/model/corefile/line";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import type { CorefileAdditions } from "../../../src/model/props/corefile";
import { cached } from "../../cached";
import { seenBy } from "./seen-by";

function lines(corefile: Corefile, zone: string): string[] {
  return seenBy(corefile, zone).map(lineOf);
}

const corefile: CorefileAdditions = {
  clusterNames: "log",
  otherNames: "errors {\n stacktrace\n}\ntemplate ANY ANY bad.example {\n rcode NXDOMAIN\n}",
  blocks: "a.example {\n errors\n forward . 10.1.1.1\n}",
};

it("additions are merged into the blocks that they are for, and printed once", () => {
  const merged = authoritativeCorefileOf({ ...cached, authoritativeDNS: { corefile } });
  expect(lines(merged, "cluster.local")).toContain("log");
  expect(lines(merged, "b.example")).not.toContain("log");
  expect(lines(merged, "b.example").filter((each) => /errors|template/.test(each))).toEqual([
    "errors { stacktrace }",
    "template ANY ANY bad.example { rcode NXDOMAIN }",
  ]);
  expect(lines(merged, "a.example")).toEqual(["errors", "bufsize 1232", "prometheus :9153", "forward . 10.1.1.1"]);
});

it("additions to the cache listen where it does", () => {
  const blocks = "a.example {\n whoami\n}";
  const merged = nodeLocalDnsCorefileOf({ ...cached, nodeLocalDNS: { corefile: { blocks } } });
  expect(lines(merged, "a.example")).toContain("bind 169.254.20.10 10.96.0.10");
});

it("additions for some queries come before ours for all", () => {
  const view = { blocks: "cluster.local . {\n view a {\n expr true\n }\n any\n}" };
  const merged = authoritativeCorefileOf({ ...cached, authoritativeDNS: { corefile: view } });
  for (const zone of ["cluster.local", "a.example"]) expect(lines(merged, zone)).toContain("view a { expr true }");
});

it.each<[what: string, zones: unknown, ofCoreDNS: CorefileAdditions, ofCache?: CorefileAdditions]>([
  ["zones that CoreDNS answers in its way", ["a.example", "bad.example"], corefile],
  ["nothing for logs", undefined, { otherNames: "log" }],
  ["all names for a plugin that answers any", "all", { otherNames: "any" }],
  ["all names for a view of them", "all", { blocks: ". {\n view a {\n expr true\n }\n any\n}" }],
  ["nothing that the cache has as well", undefined, { otherNames: "any" }, { otherNames: "\nany" }],
  ["all names for a plugin that nobody knows", "all", { otherNames: "mdns", plugins: ["mdns"] }],
])("the cache asks CoreDNS for %s", (_, zones, ofCoreDNS, ofCache) => {
  const props = { ...cached, authoritativeDNS: { corefile: ofCoreDNS }, nodeLocalDNS: { corefile: ofCache ?? {} } };
  const there = clusterOf(props).components.nodeLocalDns?.names.askedThere;
  expect(there?.isAll ? "all" : there?.zones).toEqual(zones);
});

const view = "a.example {\n view a {\n expr true\n }\n any\n}";
const tenancy = { isolation: "hard", tenants: [{ name: "a" }] } as const;
const hard = { tenancy, nodeLocalDNS: { state: "disabled" } } as const;
const three = "b.cluster.local {\n any\n}\nb.example {\n kubernetes cluster.local\n}\nc.example {\n any\n}";
const ofCoreDNS = (added: CorefileAdditions) => ({ authoritativeDNS: { corefile: added } });
const ofCache = (added: CorefileAdditions) => ({ nodeLocalDNS: { corefile: added } });
const ofView = ofCache({ clusterNames: "any\nlog", blocks: view });
const ofBlocks = (...zones: string[]) =>
  zones.map((zone) => new RegExp(`^authoritativeDNS.corefile.blocks \\(${zone}\\): `));
it.each<[promise: string, notes: RegExp[], props: Partial<ClusterDnsProps>]>([
  ["a panic costs one answer", [/^authoritativeDNS.corefile: debug: /], ofCoreDNS({ clusterNames: "debug" })],
  ["failover changes no answer", [/^only the node cache has .*clusterNames \(any\), .*blocks \(a.example\): /], ofView],
  ["clients are known", [/^authoritativeDNS.corefile.blocks \(a.example\): view/], ofCoreDNS({ blocks: view })],
  ["clients are known without a cache", [], { nodeLocalDNS: { state: "disabled" }, ...ofCoreDNS({ blocks: view }) }],
  ["the cache asks outside", [/^caches ask .* because .*otherNames \(any\) /], ofCoreDNS({ otherNames: "any" })],
  ["tenants see only theirs", ofBlocks("b.cluster.local", "b.example"), { ...hard, ...ofCoreDNS({ blocks: three }) }],
  ["nothing, if both have the same", [], { ...ofCoreDNS({ blocks: view }), ...ofCache({ blocks: view }) }],
])("additions that turn a promise off say so: %s", (_, expected, props) => {
  expect(clusterOf({ ...cached, ...props }).notes).toEqual(expected.map((each) => expect.stringMatching(each)));
});
