import fc from "fast-check";
import type { NamespaceChange } from "../../../src/model/admission/namespaces";
import { tenancyOf } from "../../../src/model/tenancy/membership";

export const label = "example.com/tenant";
const tenants = [{ name: "baz" }, { name: "qux" }];
const systemTenant = { name: "system" };
export const labelled = tenancyOf({ tenants, membership: "label", namespaceLabel: label, systemTenant });
const argoCd = "system:serviceaccount:argocd:argocd-application-controller";
export const allowed = { users: [argoCd], groups: ["dns-admins"] };

const alice = { username: "alice", groups: ["developers"] };
const argo = { username: argoCd, groups: [] };

function create(name: string, tenant?: string): NamespaceChange {
  return { operation: "CREATE", name, labels: tenant === undefined ? {} : { [label]: tenant }, requester: alice };
}

function update(old: string | undefined, tenant: string | undefined, requester = alice): NamespaceChange {
  const labels = (value?: string): NamespaceChange["labels"] => (value === undefined ? {} : { [label]: value });
  return { operation: "UPDATE", name: "bar", labels: labels(tenant), oldLabels: labels(old), requester };
}

function row(name: string, change: NamespaceChange, refusal?: string) {
  return { name, change, ...(refusal !== undefined && { refusal }) };
}

/** Namespaces, and part of each refusal. */
export const namespaceRows = [
  row("of no tenant", create("bar")),
  row("of a tenant", create("bar", "baz")),
  row("named like a tenant", create("baz"), "namespace baz is refused: a tenant has this name"),
  row("named like the system tenant", create("system"), "a tenant has this name"),
  row("of a tenant of none", create("bar", "quux"), 'label example.com/tenant: "quux" is not a tenant of this cluster'),
  row("with upper case", create("bar", "Baz"), '"Baz" is not an RFC 1123 label'),
  row("with a dot", create("bar", "a.b"), "is not an RFC 1123 label"),
  row("with nothing", create("bar", ""), '"" is not an RFC 1123 label'),
  ...["svc", "pod", "all", "default", "kube-public", "kube"].map((word) =>
    row(`of the reserved ${word}`, create("bar", word), `"${word}" is reserved`),
  ),
  row("of the system tenant, by its label", create("bar", "system"), '"system" is not a tenant'),
  row("of the cluster itself", create("kube-extra", "baz"), "the cluster's own namespaces belong to no tenant"),
  row("given a tenant later", update(undefined, "baz")),
  row("left as it is", update("baz", "baz")),
  row("with a wrong label from before, left as it is", update("Wrong", "Wrong")),
  row("given another tenant", update("baz", "qux"), '"qux" replaces "baz": a namespace keeps its tenant'),
  row("taken from its tenant", update("baz", undefined), '"" replaces "baz"'),
  row("given another tenant by who may", update("baz", "qux", argo)),
  row("given another tenant by a group that may", update("baz", "qux", { username: "bob", groups: ["dns-admins"] })),
  row("given a tenant that is none by who may", update("baz", "quux", argo), '"quux" is not a tenant'),
];

const word = fc.constantFrom(..."baz qux system bar kube-x kube default svc Baz a.b a_b x".split(" "));

/** Namespaces that are made, with names and tenants of every kind. */
export const createdNamespaces: fc.Arbitrary<NamespaceChange> = fc.record({
  operation: fc.constant("CREATE" as const),
  name: fc.constantFrom("baz", "qux", "system", "shop", "kube-x", "kube", "bazaar"),
  labels: fc.oneof(
    fc.constant({}),
    word.map((value) => ({ [label]: value })),
    fc.stringMatching(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/).map((value) => ({ [label]: value })),
    fc.constant({ "example.com/other": "baz" }),
  ),
  requester: fc.constantFrom(alice, argo),
});

/** The labels that a namespace of tenant baz is given. */
export const changedNamespaces: fc.Arbitrary<NamespaceChange> = fc.record({
  operation: fc.constant("UPDATE" as const),
  name: fc.constant("bar"),
  labels: fc.oneof(
    fc.constant({}),
    word.map((value) => ({ [label]: value })),
  ),
  oldLabels: fc.constant({ [label]: "baz" }),
  requester: fc.constantFrom(alice, argo),
});
