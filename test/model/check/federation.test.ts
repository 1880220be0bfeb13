import { expect, it } from "vitest";
import { faultyKeys, problemsOf } from "./problems";

const tenants = [{ name: "baz", namespaces: ["bar"] }];
const ofSystem = { tenants, systemTenant: { name: "infra", namespaces: ["ops"] } };
const byPrefix = { membership: "prefix", tenants: [{ name: "baz" }] };
const fed = { name: "myfed", domain: "fed.example", region: "eu-west", zone: "eu-west-1a" };

it.each<[message: string, props: object]>([
  ['federation.name: "default" is reserved (svc, pod, all, default,', { federation: { ...fed, name: "default" } }],
  ['federation.name: "my.fed" is not an RFC 1123 label', { federation: { ...fed, name: "my.fed" } }],
  ['federation.name: "baz" is also the', { federation: { ...fed, name: "baz" }, "tenancy.tenants": tenants }],
  ['federation.name: "bar" is also the', { federation: { ...fed, name: "bar" }, "tenancy.tenants": tenants }],
  ['federation.name: "infra" is also the', { federation: { ...fed, name: "infra" }, tenancy: ofSystem }],
  ['federation.name: "ops" is also the', { federation: { ...fed, name: "ops" }, tenancy: ofSystem }],
  ['federation.name: "baz-fed" may be', { federation: { ...fed, name: "baz-fed" }, tenancy: byPrefix }],
  ["federation: needs our Corefile, but", { federation: fed, "authoritativeDNS.kind": "Existing" }],
  [`federation.domain: makes names end in`, { federation: { ...fed, domain: `${"a".repeat(60)}.${"b".repeat(36)}` } }],
  [
    `federation.name: makes names end in`,
    { federation: { ...fed, name: "f".repeat(63), domain: "x" }, clusterDomain: `${"a".repeat(50)}.${"b".repeat(7)}` },
  ],
])("%s", (message, props) => expect(problemsOf(props)).toEqual([expect.stringContaining(message)]));

it("of what is missing, only that is said", () => {
  const missing = ["federation.region", "federation.zone"];
  expect(faultyKeys({ federation: { name: "myfed", domain: "cluster.local" } })).toEqual(missing);
  const { name: _name, ...unnamed } = fed;
  const faulty = faultyKeys({ federation: unnamed, tenancy: { tenants: [{ namespaces: ["bar"] }] } });
  expect(faulty.toSorted()).toEqual(["federation.name", "tenancy.tenants[0].name"]);
});

it("is accepted with tenants and a domain that a stub domain answers", () => {
  const tenancy = { tenants, isolation: "soft" };
  expect(problemsOf({ federation: fed, tenancy, stubDomains: { "fed.example": ["10.1.2.3"] } })).toEqual([]);
});

it.each<[domain: string, clusterDomain: string, zone?: string]>([
  ["cluster.local", "cluster.local"],
  ["fed.example", "eu-west-1a.eu-west.fed.example"],
  ["fed.example", "svc.eu-west-1a.eu-west.fed.example"],
  ["fed.example", "a.myfed.svc.eu-west-1a.eu-west.fed.example"],
  ["fed.example", "svc.z.eu-west.fed.example", "svc.z"],
  ["fed.example", "z.eu-west.fed.example", "svc.z"],
])("with domain %s, must not ask the cluster domain %s again", (domain, clusterDomain, zone = fed.zone) => {
  expect(problemsOf({ federation: { ...fed, domain, zone }, clusterDomain })).toEqual([
    expect.stringMatching(/^federation\.domain: .* would be asked here again/),
  ]);
});

it("may make names of 253 characters", () => {
  expect(problemsOf({ federation: { ...fed, domain: `${"a".repeat(60)}.${"b".repeat(35)}` } })).toEqual([]);
});
