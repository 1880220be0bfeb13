import { expect, it } from "vitest";
import { problemsOf } from "./problems";

const fed = { name: "myfed", domain: "fed.example", region: "eu-west", zone: "eu-west-1a" };

it.each<[message: string, props: object]>([
  [
    'federation.name: "default" is reserved (svc, pod, all, default, kube-*); choose another name for the federation',
    { federation: { ...fed, name: "default" } },
  ],
  [
    'federation.name: "my.fed" is not an RFC 1123 label; accepted: lower case letters, digits and -, at most 63',
    { federation: { ...fed, name: "my.fed" } },
  ],
  [
    'federation.name: "baz" is also the name of a tenant or a namespace; choose another',
    { federation: { ...fed, name: "baz" }, tenancy: { tenants: [{ name: "baz", namespaces: ["bar"] }] } },
  ],
  [
    'federation.name: "bar" is also the name of a tenant or a namespace; choose another',
    { federation: { ...fed, name: "bar" }, tenancy: { tenants: [{ name: "baz", namespaces: ["bar"] }] } },
  ],
  [
    'federation.name: "baz-fed" may be the name of a tenant\'s namespace; choose one that begins like no tenant',
    { federation: { ...fed, name: "baz-fed" }, tenancy: { membership: "prefix", tenants: [{ name: "baz" }] } },
  ],
  [
    'federation.domain: "fed_example" is not a DNS name; accepted: lower case labels joined by dots',
    { federation: { ...fed, domain: "fed_example" } },
  ],
  [
    'federation.zone: "EU" is not a DNS name; accepted: lower case labels joined by dots',
    { federation: { ...fed, zone: "EU" } },
  ],
  [
    'federation.domain: "cluster.local" is in the cluster domain cluster.local, so a name that is not here would be asked here again; name the federation\'s own domain',
    { federation: { ...fed, domain: "cluster.local" } },
  ],
  [
    "federation: needs a Corefile of ours, but authoritativeDNS.kind is Existing; choose Deployment or DaemonSet, or leave federation out",
    { federation: fed, authoritativeDNS: { kind: "Existing" } },
  ],
])("%s", (message, props) => {
  expect(problemsOf(props)).toEqual([message]);
});

it("is accepted beside tenants, with a domain that a stub domain answers", () => {
  const tenancy = { tenants: [{ name: "baz", namespaces: ["bar"] }], isolation: "soft" };
  expect(problemsOf({ federation: fed, tenancy, stubDomains: { "fed.example": ["10.1.2.3"] } })).toEqual([]);
});
