import { describe, expect, it } from "vitest";
import type { Zone } from "../../../src/model/props/special-names";
import { problemsOf } from "./problems";

const soa = "@ 60 IN SOA ns hostmaster 1 2 3 4 5\n";

describe("zones: what is refused", () => {
  it.each<[message: string, zone: Zone]>([
    ["zones.a.example: has nothing", {}],
    ["zones.a.example: has forward and file", { forward: { servers: ["10.1.1.1"] }, file: soa }],
    ['zones.a.example.forward.servers[0]: "10.96.0.10" is the cluster\'s', { forward: { servers: ["10.96.0.10"] } }],
    ["zones.a.example.fallthrough: forward asks for all", { forward: { servers: ["10.1.1.1"] }, fallthrough: true }],
    ["zones.a.example.ttl: is for records, and there are none", { file: soa, ttl: 5 }],
    ["zones.a.example.file: has no SOA record, without which CoreDNS does not start", { file: "www A 10.1.1.1\n" }],
    ["zones.a.example.file: has no SOA record, without which CoreDNS does not", { file: "www A 1.1.1.1 ; SOA \n" }],
    ["zones.a.example.records.www.A: has 0 entries", { records: { www: { A: [], TXT: ["x"] } } }],
    ['zones.a.example.records.www.PTR[0]: "b" is not a whole name', { records: { www: { PTR: ["b"] } } }],
    ...(
      [
        ["CNAME", { CNAME: "b.a.example" }],
        ["MX[0]", { MX: ["10 b.a.example"] }],
        ["SRV[0]", { SRV: ["0 1 2 b.a.example"] }],
      ] as const
    ).map(([at, www]): [string, Zone] => [
      `zones.a.example.records.www.${at}: "b.a.example" would be b.a.example.a.example; leave a.example out, or end it with a dot`,
      { records: { www } },
    ]),
    ["zones.a.example.file: includes a file, which the pods do not have", { file: `${soa}$INCLUDE other\n` }],
    ['zones.a.example.records.www.A[0]: "fd00::1" is not an IPv4 address', { records: { www: { A: ["fd00::1"] } } }],
    ['zones.a.example.records.www.MX[0]: "mail" is not an MX record', { records: { www: { MX: ["mail"] } } }],
    ["zones.a.example.records.www.CNAME: a name with a CNAME", { records: { www: { CNAME: "b", A: ["10.1.1.1"] } } }],
    ['zones.a.example.records.a b: "a b" is not a name in the zone', { records: { "a b": { A: ["10.1.1.1"] } } }],
    ['zones.a.example.records.b.other.: "b.other." is not in', { records: { "b.other.": { A: ["10.1.1.1"] } } }],
    ['zones.a.example.records.b.a.example: "b.a.example" would', { records: { "b.a.example": { A: ["10.1.1.1"] } } }],
    [
      'zones.a.example.records.B.a.example.: "B.a.example." is the',
      { records: { b: { A: ["10.1.1.1"] }, "B.a.example.": { CNAME: "c" } } },
    ],
    ...[
      ["TTL 2147483648 is too long", "{{ .Name }} 2147483648 IN A 10.1.1.1"],
      ['"fd00::1" is not an IPv4 address', "{{ .Name }} 1 IN A fd00::1"],
      ["{{ .Group.b }} is nothing: match has no such parentheses", "{{ .Name }} 1 IN A 10.1.1.{{ .Group.b }}"],
      [
        "{{ index .Match 2 }} is nothing: match has no such parentheses",
        "{{ .Name }} 1 IN A 10.1.1.{{ index .Match 2 }}",
      ],
    ].map(([fault, record = ""]): [string, Zone] => [
      `zones.a.example.templates[0].answer[0]: "${record}": ${fault}`,
      { templates: [{ match: "(?P<a>.*)", answer: [record] }] },
    ]),
    [
      'zones.a.example.templates[0].answer[0]: "{{ .Remote }} 1 IN A',
      { templates: [{ answer: ["{{ .Remote }} 1 IN A 10.1.1.1"] }] },
    ],
  ])("%s", (message, zone) => {
    expect(problemsOf({ zones: { "a.example": zone } })).toEqual([expect.stringContaining(message)]);
  });

  it("but not a record that says there is no server", () => {
    const records = { www: { MX: ["0 ."], SRV: ["0 0 0 ."] } };
    expect(problemsOf({ zones: { "a.example": { records } } })).toEqual([]);
  });

  it("zones that are the cluster's, a tenant's, or said twice", () => {
    const zone: Zone = { forward: { servers: ["10.1.1.1"] } };
    expect(
      problemsOf({
        zones: {
          "svc.cluster.local": zone,
          "x.acme.svc.cluster.local": zone,
          "Corp.example": zone,
          "db.svc.cluster.local": zone,
        },
        stubDomains: { "corp.example": ["10.1.1.1"] },
        tenancy: { tenants: [{ name: "acme", namespaces: ["shop"] }] },
      }).map((each) => each.split(": ")[0]),
    ).toEqual(["zones.svc.cluster.local", "zones.x.acme.svc.cluster.local", "zones.Corp.example"]);
  });

  it("an alias in a zone, and records of a CoreDNS that is not ours", () => {
    const zones: { [zone: string]: Zone } = { "a.example": { records: { www: { A: ["10.1.1.1"] } } } };
    expect(problemsOf({ zones, hostAliases: [{ ip: "10.1.1.1", hostnames: ["x.a.example"] }] })).toEqual([
      'hostAliases[0].hostnames[0]: "x.a.example" is in a.example, which zones answers without looking at hostAliases; say it there, as a record or in hosts',
    ]);
    expect(problemsOf({ zones, authoritativeDNS: { kind: "Existing" } })[0]).toMatch(/^zones: needs our Corefile/);
  });
});
