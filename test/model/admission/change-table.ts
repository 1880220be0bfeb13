import type { ObjectChange, ProtectedObjects } from "../../../src/model/admission/protected-objects";

export const protection: ProtectedObjects = {
  namespace: "kube-system",
  objects: [
    { resource: "configmaps", names: ["coredns"], prefixes: ["coredns-", "node-local-dns-"] },
    { resource: "services", names: ["kube-dns", "kube-dns-upstream"], prefixes: [] },
  ],
  allowed: { users: ["system:serviceaccount:argocd:argocd-application-controller"], groups: ["dns-admins"] },
};

const corefile = (name: string, more: object = {}) => {
  const data = { Corefile: ". {\n}" };
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data, ...more };
};
const service = (name: string, port = 53) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { selector: { "k8s-app": "kube-dns" }, ports: [{ name: "dns", port, protocol: "UDP", targetPort: 53 }] },
});
const alice = { username: "alice", groups: ["system:authenticated", "developers"] };
const argoCd = "system:serviceaccount:argocd:argocd-application-controller";
const argo = { username: argoCd, groups: ["system:serviceaccounts"] };
const admin = { username: "bob", groups: ["system:authenticated", "dns-admins"] };

function configMapChange(name: string, more: Partial<ObjectChange> = {}): ObjectChange {
  return {
    operation: "UPDATE",
    resource: "configmaps",
    namespace: "kube-system",
    name,
    requester: alice,
    object: corefile(name, { data: { Corefile: ". {\n  forward . 203.0.113.1\n}" } }),
    oldObject: corefile(name),
    ...more,
  };
}

function serviceChange(name: string, more: Partial<ObjectChange> = {}): ObjectChange {
  const objects = { object: service(name, 5353), oldObject: service(name) };
  return { ...configMapChange(name), resource: "services", ...objects, ...more };
}

type Metadata = { readonly [field in "labels" | "annotations"]?: { readonly [key: string]: string | null } };

function metadataChange(name: string, metadata: Metadata, old: Metadata = {}): ObjectChange {
  const object = (more: Metadata) => ({ ...service(name), metadata: { name, ...more } });
  return serviceChange(name, { object: object(metadata), oldObject: object(old) });
}

const refused = {
  "the content of Corefile coredns-abc, by a user": configMapChange("coredns-abc"),
  "the content of Corefile node-local-dns-0123456789, by a user": configMapChange("node-local-dns-0123456789"),
  "the deletion of a Corefile, by a user": configMapChange("node-local-dns-abc", { operation: "DELETE", object: null }),
  "a Corefile by its whole name": configMapChange("coredns"),
  "binary content": configMapChange("coredns-abc", { object: corefile("coredns-abc", { binaryData: { x: "eA==" } }) }),
  "made immutable": configMapChange("coredns-abc", { object: corefile("coredns-abc", { immutable: true }) }),
  "a port of the DNS Service": serviceChange("kube-dns"),
  "the deletion of the DNS Service": serviceChange("kube-dns", { operation: "DELETE", object: null }),
  "another proxy's label": metadataChange("kube-dns", { labels: { "service.kubernetes.io/service-proxy-name": "x" } }),
  "the label of headless Services": metadataChange("kube-dns", { labels: { "service.kubernetes.io/headless": "" } }),
  "endpoints by zone": metadataChange("kube-dns", { annotations: { "service.kubernetes.io/topology-mode": "Auto" } }),
  "endpoints of other clusters": metadataChange("kube-dns", { annotations: { "service.cilium.io/global": "true" } }),
  "the upstream Service": serviceChange("kube-dns-upstream"),
  "an annotation that chooses endpoints, taken away": metadataChange(
    "kube-dns-upstream",
    { annotations: { "service.kubernetes.io/topology-mode": null } },
    { annotations: { "service.kubernetes.io/topology-mode": "Auto" } },
  ),
};

const accepted = {
  "a label of a Corefile, by a user": configMapChange("coredns-abc", {
    object: corefile("coredns-abc", { metadata: { name: "coredns-abc", labels: { team: "a" } } }),
  }),
  "a Corefile's content, by the GitOps controller": configMapChange("coredns-abc", { requester: argo }),
  "deletion by a controller": configMapChange("coredns-abc", { operation: "DELETE", object: null, requester: argo }),
  "a Corefile's content, by one of an allowed group": configMapChange("coredns-abc", { requester: admin }),
  "a ConfigMap with a name that only contains the prefix": configMapChange("my-coredns-abc"),
  "a ConfigMap whose name is shorter than the prefix": configMapChange("corednsx"),
  "a Corefile's name in another namespace": configMapChange("coredns-abc", { namespace: "default" }),
  "the DNS Service as it is": serviceChange("kube-dns", { object: service("kube-dns") }),
  "other metadata of it": metadataChange("kube-dns", { labels: { team: "a" }, annotations: { "example.com/x": "y" } }),
  "a Service whose name begins alike": serviceChange("kube-dns-metrics"),
  "a Service that is named like a Corefile": serviceChange("coredns-abc"),
};

interface ChangeRow {
  readonly name: string;
  readonly change: ObjectChange;
  readonly refused: boolean;
  readonly subresource?: "status";
}

/** Changes, and whether they are refused; policy and webhook have to agree. */
export const changeRows: readonly ChangeRow[] = [
  ...Object.entries(refused).map(([name, change]) => ({ name, change, refused: true })),
  {
    name: "the label that takes it from kube-proxy, through the Service's status",
    change: metadataChange("kube-dns", { labels: { "service.kubernetes.io/service-proxy-name": "x" } }),
    subresource: "status",
    refused: true,
  },
  ...Object.entries(accepted).map(([name, change]) => ({ name, change, refused: false })),
];
