import fc from "fast-check";
import type { NamespaceChange } from "../../../src/model/admission/namespaces";
import { tenancyOf } from "../../../src/model/tenancy/membership";

export const label = "example.com/tenant";
export const labelled = tenancyOf({
  tenants: [{ name: "baz" }, { name: "qux" }],
  membership: "label",
  namespaceLabel: label,
  systemTenant: { name: "system" },
});
export const allowed = {
  users: ["system:serviceaccount:argocd:argocd-application-controller"],
  groups: ["dns-admins"],
};

const alice = { username: "alice", groups: ["developers"] };
const argo = { username: "system:serviceaccount:argocd:argocd-application-controller", groups: [] };

function create(name: string, tenant?: string): NamespaceChange {
  return { operation: "CREATE", name, labels: tenant === undefined ? {} : { [label]: tenant }, requester: alice };
}

function update(old: string | undefined, tenant: string | undefined, requester = alice): NamespaceChange {
  const labels = (value?: string): NamespaceChange["labels"] => (value === undefined ? {} : { [label]: value });
  return { operation: "UPDATE", name: "bar", labels: labels(tenant), oldLabels: labels(old), requester };
}

/** Namespaces, and part of each refusal. */
export const namespaceRows: readonly {
  readonly name: string;
  readonly change: NamespaceChange;
  readonly refusal?: string;
}[] = [
  { name: "of no tenant", change: create("bar") },
  { name: "of a tenant", change: create("bar", "baz") },
  { name: "named like a tenant", change: create("baz"), refusal: "namespace baz is refused: a tenant has this name" },
  { name: "named like the system tenant", change: create("system"), refusal: "a tenant has this name" },
  {
    name: "of a tenant that is none",
    change: create("bar", "quux"),
    refusal: 'label example.com/tenant: "quux" is not a tenant of this cluster. Allowed: baz, qux. Add',
  },
  { name: "with upper case", change: create("bar", "Baz"), refusal: '"Baz" is not an RFC 1123 label' },
  { name: "with a dot", change: create("bar", "a.b"), refusal: "is not an RFC 1123 label" },
  { name: "with nothing", change: create("bar", ""), refusal: '"" is not an RFC 1123 label' },
  ...["svc", "pod", "all", "default", "kube-public", "kube"].map((word) => ({
    name: `of the reserved ${word}`,
    change: create("bar", word),
    refusal: `"${word}" is reserved`,
  })),
  { name: "of the system tenant, by its label", change: create("bar", "system"), refusal: '"system" is not a tenant' },
  {
    name: "of the cluster itself",
    change: create("kube-extra", "baz"),
    refusal: "the cluster's own namespaces belong to no tenant",
  },
  { name: "given a tenant later", change: update(undefined, "baz") },
  { name: "left as it is", change: update("baz", "baz") },
  { name: "with a wrong label from before, left as it is", change: update("Wrong", "Wrong") },
  {
    name: "given another tenant",
    change: update("baz", "qux"),
    refusal: '"qux" replaces "baz": a namespace keeps its tenant',
  },
  { name: "taken from its tenant", change: update("baz", undefined), refusal: '"" replaces "baz"' },
  { name: "given another tenant by who may", change: update("baz", "qux", argo) },
  {
    name: "given another tenant by one of a group that may",
    change: update("baz", "qux", { username: "bob", groups: ["dns-admins"] }),
  },
  {
    name: "given a tenant that is none by who may",
    change: update("baz", "quux", argo),
    refusal: '"quux" is not a tenant',
  },
];

const word = fc.constantFrom(
  "baz",
  "qux",
  "system",
  "bar",
  "kube-x",
  "kube",
  "default",
  "svc",
  "Baz",
  "a.b",
  "a_b",
  "x",
);

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
