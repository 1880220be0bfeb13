import { expect, it } from "vitest";
import { spread } from "../../corefile-text";
import { stubbed } from "./from-corefile";
import { configMap, coreDns, corefile, kubeProxy, node, service, taken } from "./objects";

const custom = {
  "a.server": spread("corp.example:53 { cache 30; forward . 10.1.2.3 }"),
  "b.override": spread("hosts { 10.9.8.7 legacy.example; fallthrough }; log"),
  "c.unread": "whoami",
};
const named = (text: string, more: object = {}) => configMap("coredns", { Corefile: spread(text), ...more });
const importing = (lines: string, after: string) => named(corefile(lines, undefined, after));
const hostAliases = [{ ip: "10.9.8.7", hostnames: ["legacy.example"] }];
const imported = { own: { ...stubbed, hostAliases, queryLog: {} }, different: [] };
const lacking = (what: string): unknown =>
  expect.stringContaining(`import ${what}: no ConfigMap among the objects has its files`);
const cluster = (...more: object[]) => [service, node(), kubeProxy(), ...more];

const both = importing("import custom/*.override", "import /etc/coredns/custom/*.server");

it("what pods mount counts, of what is imported", () => {
  const workload = coreDns({}, {}, { "coredns-custom": "/etc/coredns/custom" });
  expect(taken(cluster(workload, both, configMap("coredns-custom", custom)))).toMatchObject(imported);
  const elsewhere = coreDns({}, {}, { "coredns-custom": "/etc/custom" });
  const from = importing("import ../custom/*.override", "import ./../custom/./a.server");
  expect(taken(cluster(elsewhere, from, configMap("coredns-custom", custom))).own).toMatchObject(stubbed);
  // CoreDNS takes a pattern without files for nothing, but not a name.
  expect(taken(cluster(workload, both)).different).toEqual([]);
  const absent = importing("import custom/a", `import custom/${"*".repeat(40)}b`);
  expect(taken(cluster(workload, importing("import custom/a", ""))).different).toEqual([lacking("custom/a")]);
  expect(taken(cluster(workload, absent, configMap("coredns-custom", { ["a".repeat(200)]: "" }))).different).toEqual([
    expect.stringMatching(/cannot be read as a Corefile: import custom\/\*+b has more wildcards than CoreDNS takes$/),
  ]);
});

it("what pods mount counts, of several ConfigMaps in one volume", () => {
  const source = (name: string) => ({ configMap: { name } });
  const workload = (...sources: object[]) => coreDns({ volumes: [{ name: "coredns", projected: { sources } }] });
  const files = [importing("import *.override", "import *.server"), configMap("coredns-custom", custom)];
  const own = [source("coredns"), source("coredns-custom")];
  const mounting = (...more: object[]) => taken(cluster(workload(...own, ...more), ...files));
  expect(mounting()).toMatchObject(imported);
  // Others may have files of such names, too.
  const volume = "Deployment coredns: volume coredns";
  expect(mounting({ secret: {} }).different).toEqual([volume, lacking("*.override"), lacking("*.server")]);
  const absent = "ConfigMap absent, which DNS pods mount, is not among the objects";
  expect(mounting(source("absent")).different).toContain(absent);
});

const ofHosts = corefile("hosts /etc/coredns/hosts { fallthrough }");
it("what pods mount counts, of a file of hosts", () => {
  const hosts = "192.0.2.7 registry.corp # ours";
  expect(taken(cluster(coreDns(), named(ofHosts, { hosts })))).toMatchObject({
    own: { hostAliases: [{ ip: "192.0.2.7", hostnames: ["registry.corp"] }] },
    different: [],
  });
});

it("what pods mount counts, of a file of hosts that is too long for the blocks of ours, which is listed", () => {
  const hosts = Array.from({ length: 5000 }, (_, i) => `0.0.0.0 ${"a".repeat(50)}.${i}.example`).join("\n");
  const { own, different } = taken(cluster(coreDns(), named(ofHosts, { hosts })));
  expect(own).not.toHaveProperty("hostAliases");
  expect(different).toEqual([
    expect.stringMatching(/: hosts entry 0.0.0.0 a+\.0\.example, .* and 4977 more: \d+ characters are too many /),
  ]);
});

it("what pods mount counts, of the file of a zone", () => {
  const file = "@ 60 IN SOA ns hostmaster 1 2 3 4 5\nwww 60 IN A 192.0.2.12\n";
  const text = corefile("file /etc/coredns/db.corp corp.example", undefined, "lab.example { file db.corp }");
  expect(taken(cluster(coreDns(), named(text, { "db.corp": file })))).toMatchObject({
    own: { zones: { "corp.example": { file }, "lab.example": { file } } },
    different: [],
  });
});

it("what pods mount counts, of such a file, whose block says more", () => {
  const file = "@ 60 IN SOA ns hostmaster 1 2 3 4 5\n";
  const other = "b.example { file db.a; minimal; file db.absent c.example }";
  const text = corefile("", undefined, `a.example { file db.a; log }\n${other}`);
  expect(taken(cluster(coreDns(), named(text, { "db.a": file })))).toMatchObject({
    own: { zones: { "a.example": { file }, "b.example": { file } } },
    different: [
      "ConfigMap coredns: server block a.example: log .",
      expect.stringContaining(`: server block ${other}: `),
    ],
  });
});

it.each<[what: string, objects: object[], different: string[]]>([
  ["another one", [coreDns(), configMap("core", { Corefile: corefile("log") })], ["ConfigMap coredns, which DNS"]],
  ["no key", [coreDns(), configMap("coredns", {})], ["Deployment coredns: Corefile /etc/coredns/Corefile is not"]],
  [
    "what is imported, without pods that show from where",
    [both, configMap("coredns-custom", custom)],
    ["import custom/*.override: no ConfigMap", "import /etc/coredns/custom/*.server: no ConfigMap"],
  ],
  ["no block", [coreDns(), configMap("coredns", { Corefile: "# later\n" })], ["it has no server block"]],
  ["no Corefile", [coreDns(), configMap("coredns", { Corefile: ". { " })], ["as a Corefile: a brace is not closed"]],
  ["too much", [coreDns(), configMap("coredns", { Corefile: " ".repeat(2 ** 20 + 1) })], ["has 1048577 characters"]],
])("what pods mount is missed, not replaced: %s", (_, objects, different) => {
  const told = different.map((each): unknown => expect.stringContaining(each));
  expect(taken(cluster(...objects)).different).toEqual(told);
});
