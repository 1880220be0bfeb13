import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TenancyOptions, Tenant } from "../../../src/model/props/tenancy";
import { agentImage, beginnings, cilium, faultyKeys, problemsOf } from "./problems";
import { anyText } from "../../any-text";

const baz: Tenant = { name: "baz", namespaces: ["bar"] };

function refused(tenancy: Partial<TenancyOptions>, more: object = {}): string[] {
  return problemsOf({ tenancy: { tenants: [baz], ...tenancy }, ...more });
}

const listed = (name: string, ...namespaces: string[]) => ({ name, namespaces });
const ofOps = listed("infra", "kube-system", "ops-dns");
const byLabel = { membership: "label", namespaceLabel: "example.com/tenant" } as const;

it.each<[message: string, tenancy: Partial<TenancyOptions>]>([
  ...["svc", "pod", "all", "default", "kube-system", "kube"].map((name): [string, Partial<TenancyOptions>] => [
    `tenants[0].name: "${name}" is reserved (svc, pod, all, default, kube-*); choose another name for the tenant`,
    { tenants: [listed(name, "bar")] },
  ]),
  ['tenants[0].name: "constructor" cannot be', { tenants: [listed("constructor", "bar")] }],
  ['tenants[1].name: "baz" is named twice', { tenants: [baz, listed("baz", "bar2")] }],
  ['systemTenant.name: "baz" is named twice', { systemTenant: { name: "baz" } }],
  ['tenants[1].namespaces[0]: "baz" is also the', { tenants: [baz, listed("acme", "baz")] }],
  ['systemTenant.namespaces[0]: "baz" is also the', { systemTenant: listed("infra", "baz") }],
])("names of tenants: what is refused, and the message: %s", (message, tenancy) => {
  expect(beginnings(message, "tenancy", { tenants: [baz], ...tenancy })).toEqual([message]);
});

it.each<Partial<TenancyOptions>>([{}, { membership: "prefix" }, byLabel])(
  "names of tenants are RFC 1123 labels, whatever the membership: %j",
  (tenancy) => {
    const namespaces = tenancy.membership === undefined ? { namespaces: ["bar"] } : {};
    for (const name of ["Baz", "b.z", "-baz", "baz-", "", "b".repeat(64)])
      expect(refused({ ...tenancy, tenants: [{ name, ...namespaces }] })).toContainEqual(
        expect.stringContaining(`tenancy.tenants[0].name: ${JSON.stringify(name)} is not an RFC 1123 label`),
      );
    expect(refused({ ...tenancy, tenants: [{ name: "baz", ...namespaces }] })).toEqual([]);
  },
);

it("strict needs admission", () => {
  expect(refused({ strict: true })).toEqual([
    expect.stringMatching(/^tenancy.strict: has no effect without admission/),
  ]);
  const admission = { allowedUsers: ["argo"] };
  expect(refused({ strict: true }, { agentImage, kubernetesVersion: "1.36", admission })).toEqual([]);
  expect(refused({ strict: false })).toEqual([]);
});

it("names of tenants leave room for Services and namespaces, in a long cluster domain too", () => {
  const clusterDomain = `${"a".repeat(63)}.${"b".repeat(46)}`;
  const tenants = ["tenantten1", "tenanteleve"].map((name, i) => ({ name, namespaces: [`n${i}`] }));
  const problem = expect.stringContaining('tenants[1].name: "tenanteleve" has 11 characters; at most 10 in this');
  expect(refused({ tenants }, { clusterDomain })).toEqual([problem]);
});

it("a tenant name of the wrong type is reported only as that", () => {
  const tenancy = { membership: "prefix", tenants: [{ name: 5 }, { name: "baz" }, {}] };
  expect(faultyKeys({ tenancy })).toEqual(["tenancy.tenants[0].name", "tenancy.tenants[2].name"]);
  const systemTenant = { namespaces: ["bar"] };
  expect(faultyKeys({ tenancy: { tenants: [baz], systemTenant } })).toEqual(["tenancy.systemTenant.name"]);
});

it.each<[message: string, tenancy: Partial<TenancyOptions>]>([
  ['tenants[0].namespaces[0]: "a b" is not the name of', { tenants: [listed("baz", "a b")] }],
  ['tenants[1].namespaces[0]: "bar" is listed twice', { tenants: [baz, listed("acme", "bar")] }],
  ['tenants[0].namespaces[0]: "kube-public" belongs', { tenants: [listed("baz", "kube-public")] }],
  ['tenants[0]: "baz" has no namespaces', { tenants: [{ name: "baz" }] }],
  ["tenants[0].namespaces: has no effect with membership: prefix", { membership: "prefix" }],
  ['tenants[0].name: "a" is the prefix of', { membership: "prefix", tenants: [{ name: "a" }, { name: "a-b" }] }],
  ['tenants[0].name: "ops" is the prefix', { membership: "prefix", tenants: [{ name: "ops" }], systemTenant: ofOps }],
  [`tenants[0].name: "${"a".repeat(62)}" is`, { membership: "prefix", tenants: [{ name: "a".repeat(62) }] }],
  ["namespaceLabel: is required with membership: label", { membership: "label", tenants: [{ name: "baz" }] }],
  ["namespaceLabel: has no effect with membership: listed", { namespaceLabel: "example.com/tenant" }],
  ["membership: label makes", { ...byLabel, tenants: Array.from({ length: 33 }, (_, i) => ({ name: `t${i}` })) }],
])("namespaces of tenants: %s", (message, tenancy) => {
  expect(beginnings(message, "tenancy", { tenants: [baz], ...tenancy })).toEqual([message]);
});

it("a name that begins like another is a prefix only where membership goes by prefixes", () => {
  expect(refused({ tenants: [listed("a", "x"), listed("a-b", "y")] })).toEqual([]);
});

describe("hard isolation is refused if it would not isolate", () => {
  const facts = { kubernetesVersion: "1.34", nodeLocalDNS: { state: "disabled" } };
  const nodeCache =
    "tenancy.isolation: hard cannot work with a node cache: queries come from the node's address and answers are shared, so isolation would fail open; set nodeLocalDNS.state: disabled, or choose soft";
  const digest = `sha256:${"0".repeat(64)}`;
  const image = (text: string) =>
    `authoritativeDNS.image: "${text}" is not known to be CoreDNS 1.14.7 or newer, which tenancy.isolation: hard needs (older ones leak answers past a view); use a tag v1.14.7 or newer, followed by a digest if you like`;
  it.each<[message: string, props: object]>([
    [nodeCache, { nodeLocalDNS: undefined }],
    [nodeCache, { agentImage, nodeLocalDNS: undefined }],
    [nodeCache, { ...cilium, nodeLocalDNS: undefined }],
    [nodeCache, { agentImage, "nodeLocalDNS.state": "draining" }],
    [`tenancy.isolation: hard, whose policy refuses aliases for other tenants'`, { kubernetesVersion: "1.29" }],
    [image("registry.example/coredns:v1.14.6"), { "authoritativeDNS.image": "registry.example/coredns:v1.14.6" }],
    [image("registry.example/coredns:1.9.9"), { "authoritativeDNS.image": "registry.example/coredns:1.9.9" }],
    [image("registry.example/coredns:stable"), { "authoritativeDNS.image": "registry.example/coredns:stable" }],
    ['authoritativeDNS.image: "coredns@sha256:0000', { "authoritativeDNS.image": `coredns@${digest}` }],
    ["hard needs to know a client's tenant", { tenancy: { isolation: "hard", ...byLabel, tenants: [{ name: "a" }] } }],
    ["authoritativeDNS.pods: insecure does not show a client's namespace,", { "authoritativeDNS.pods": "insecure" }],
    ["isolation: hard cannot work with", { federation: { name: "fed", domain: "a.b", region: "eu", zone: "a" } }],
  ])("%s", (message, props) => {
    expect(refused({ isolation: "hard" }, { ...facts, ...props })).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    { agentImage },
    { authoritativeDNS: { image: "registry.example/coredns:v1.14.7" } },
    { authoritativeDNS: { image: `registry.example:5000/coredns:1.15.0@${digest}` } },
    { authoritativeDNS: { image: "registry.example/coredns:v2.0.0", pods: "verified" } },
  ])("and accepted with %j", (props) => expect(refused({ isolation: "hard" }, { ...facts, ...props })).toEqual([]));
});

it("is refused with DNS that is not ours", () => {
  const existing = refused({}, { "authoritativeDNS.kind": "Existing" });
  expect(existing).toEqual([
    expect.stringMatching(/^tenancy: needs our Corefile, but authoritativeDNS.kind is Existing/),
  ]);
});

it("no hostile name is accepted", () => {
  const hostile = fc.oneof(anyText(12), fc.stringMatching(/^[-a{}$%"\\ #\n.=|*+()[\]^]{0,8}$/));
  const isLabel = (text: string) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text);
  fc.assert(
    fc.property(
      hostile.filter((text) => !isLabel(text)),
      (text) => {
        expect(refused({ tenants: [{ name: text, namespaces: ["bar"] }] })).not.toEqual([]);
        expect(refused({ tenants: [{ name: "baz", namespaces: [text] }] })).not.toEqual([]);
        expect(refused({ systemTenant: { name: text } })).not.toEqual([]);
        const federation = { name: text, domain: "fed.example", region: "eu", zone: "a" };
        expect(problemsOf({ federation })).not.toEqual([]);
      },
    ),
  );
});
