import { expect, it } from "vitest";
import type { Zone } from "../../../src/model/props/special-names";
import { faultyKeys, problemsOf } from "./problems";

const twice = '"b.a.example" would be b.a.example.a.example; leave a.example out, or end it with a dot';
const soa = "@ 60 IN SOA ns hostmaster 1 2 3 4 5\n";

it.each<[message: string, zone: Zone]>([
  [": has nothing", {}],
  [": has forward and file", { forward: { servers: ["10.1.1.1"] }, file: soa }],
  ['.forward.servers[0]: "10.96.0.10" is the cluster\'s', { forward: { servers: ["10.96.0.10"] } }],
  [".fallthrough: forward asks for all", { forward: { servers: ["10.1.1.1"] }, fallthrough: true }],
  [".ttl: is for records, and there are none", { file: soa, ttl: 5 }],
  [`.records.www.CNAME: ${twice}`, { records: { www: { CNAME: "b.a.example" } } }],
  [`.records.www.MX[0]: ${twice}`, { records: { www: { MX: ["10 b.a.example"] } } }],
  [`.records.www.SRV[0]: ${twice}`, { records: { www: { SRV: ["0 1 2 b.a.example"] } } }],
  ['.records.www.CNAME: "10.1.1.1" is an address', { records: { www: { CNAME: "10.1.1.1" } } }],
  ['.records.www.MX[0]: "10.1.1.1" is an address', { records: { www: { MX: ["10 10.1.1.1"] } } }],
  ['.records.www.SRV[0]: "10.1.1.1." is an address', { records: { www: { SRV: ["0 1 2 10.1.1.1."] } } }],
  ['.records.www.PTR[0]: "10.1.1.1." is an address', { records: { www: { PTR: ["10.1.1.1."] } } }],
  [".records.www.CNAME: a name with a CNAME", { records: { www: { CNAME: "b", A: ["10.1.1.1"] } } }],
  ['.records.a b: "a b" is not a name in the zone', { records: { "a b": { A: ["10.1.1.1"] } } }],
  ['.records.a.*: "a.*" is not a name in the zone', { records: { "a.*": { A: ["10.1.1.1"] } } }],
  ...["", "{$HOME}"].map((match): [string, Zone] => [`.templates[0].match: "${match}"`, { templates: [{ match }] }]),
  ...["{{ .Remote }} 1 IN A 10.1.1.1", "a b 1 IN A 10.1.1.1", "a 1 IN A {{ .Remote }}", "a 1 IN A"].map(
    (record): [string, Zone] => [`.templates[0].answer[0]: "${record}" is no`, { templates: [{ answer: [record] }] }],
  ),
  ['.records.b.other.: "b.other." is not in', { records: { "b.other.": { A: ["10.1.1.1"] } } }],
  ['.records.b.a.example: "b.a.example" would', { records: { "b.a.example": { A: ["10.1.1.1"] } } }],
  ['.records.B.a.example.: "B.a.example."', { records: { b: { A: ["10.1.1.1"] }, "B.a.example.": { CNAME: "c" } } }],
  ...[
    ["type FOO is unknown", "{{ .Name }} 60 IN FOO 10.1.1.1"],
    ["TTL 2147483648 is too long", "{{ .Name }} 2147483648 IN A 10.1.1.1"],
    ['"fd00::1" is not an IPv4 address', "{{ .Name }} 1 IN A fd00::1"],
    ["{{ .Group.b }} is nothing: match has no such parentheses", "{{ .Name }} 1 IN A 10.1.1.{{ .Group.b }}"],
    ["{{ index .Match 2 }} is nothing: match has no such", "{{ .Name }} 1 IN A 10.1.1.{{ index .Match 2 }}"],
  ].map(([fault, record = ""]): [string, Zone] => [
    `.templates[0].answer[0]: "${record}": ${fault}`,
    { templates: [{ match: "(?P<a>.*)", answer: [record] }] },
  ]),
])("refused: %s", (message, zone) => {
  expect(problemsOf({ zones: { "a.example": zone } })).toEqual([expect.stringContaining(`a.example${message}`)]);
});

it.each<[what: string, zone: Zone]>([
  ["all kinds", { records: { "@": { A: ["10.1.1.1"] }, "*": { A: ["10.1.1.1"] }, "*.apps": { CNAME: "b" } } }],
  ["a record with a name of its own", { templates: [{ answer: ["www.a.example. 60 IN A 10.1.1.1"] }] }],
])("but not %s", (_, zone) => expect(problemsOf({ zones: { "a.example": zone } })).toEqual([]));

it("but not a name of a reverse zone, all of numbers", () => {
  const records = { "4.3.2.1": { CNAME: "8.7.6.5" }, "5": { PTR: ["1.2.3.4.example.org."] } };
  expect(problemsOf({ zones: { "0.0.1.0.0.2.ip6.arpa": { records } } })).toEqual([]);
});

it("refused: zones that are the cluster's, a tenant's, or said twice", () => {
  const refused = ["svc.cluster.local", "x.acme.svc.cluster.local", "Corp.example"];
  const zone: Zone = { forward: { servers: ["10.1.1.1"] } };
  const zones = Object.fromEntries([...refused, "db.svc.cluster.local"].map((name) => [name, zone]));
  const tenancy = { tenants: [{ name: "acme", namespaces: ["shop"] }] };
  const faulty = faultyKeys({ zones, stubDomains: { "corp.example": ["10.1.1.1"] }, tenancy });
  expect(faulty).toEqual(refused.map((name) => `zones.${name}`));
});

it("refused: an alias in a zone, and records of a CoreDNS that is not ours", () => {
  const zones: { [zone: string]: Zone } = { "a.example": { records: { www: { A: ["10.1.1.1"] } } } };
  expect(problemsOf({ zones, hostAliases: [{ ip: "10.1.1.1", hostnames: ["x.a.example"] }] })).toEqual([
    'hostAliases[0].hostnames[0]: "x.a.example" is in a.example, which zones answers without looking at hostAliases; say it there, as a record or in hosts',
  ]);
  expect(problemsOf({ zones, authoritativeDNS: { kind: "Existing" } })[0]).toMatch(/^zones: needs our Corefile/);
});
