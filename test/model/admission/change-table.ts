import type { ObjectChange, ProtectedObjects } from "../../../src/model/admission/protected-objects";

export const protection: ProtectedObjects = {
  namespace: "kube-system",
  objects: [
    { resource: "configmaps", names: ["coredns"], prefixes: ["coredns-", "node-local-dns-"] },
    { resource: "services", names: ["kube-dns", "kube-dns-upstream"], prefixes: [] },
  ],
  allowed: { users: ["system:serviceaccount:argocd:argocd-application-controller"], groups: ["dns-admins"] },
};

const corefile = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { Corefile: ". {\n}" },
  ...more,
});
const service = (name: string, port = 53) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { selector: { "k8s-app": "kube-dns" }, ports: [{ name: "dns", port, protocol: "UDP", targetPort: 53 }] },
});
const alice = { username: "alice", groups: ["system:authenticated", "developers"] };
const argo = {
  username: "system:serviceaccount:argocd:argocd-application-controller",
  groups: ["system:serviceaccounts"],
};
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
  return {
    ...configMapChange(name),
    resource: "services",
    object: service(name, 5353),
    oldObject: service(name),
    ...more,
  };
}

type Metadata = { readonly [field in "labels" | "annotations"]?: { readonly [key: string]: string | null } };

function metadataChange(name: string, metadata: Metadata, old: Metadata = {}): ObjectChange {
  const object = (more: Metadata) => ({ ...service(name), metadata: { name, ...more } });
  return serviceChange(name, { object: object(metadata), oldObject: object(old) });
}

/** Changes, and whether they are refused; policy and webhook have to agree. */
export const changeRows: readonly {
  readonly name: string;
  readonly change: ObjectChange;
  readonly refused: boolean;
  readonly subresource?: "status";
}[] = [
  ...["coredns-abc", "node-local-dns-0123456789"].map((name) => ({
    name: `the content of Corefile ${name}, by a user`,
    change: configMapChange(name),
    refused: true,
  })),
  {
    name: "the deletion of a Corefile, by a user",
    change: configMapChange("node-local-dns-0123456789", { operation: "DELETE", object: null }),
    refused: true,
  },
  { name: "a Corefile by its whole name", change: configMapChange("coredns"), refused: true },
  {
    name: "binary content",
    change: configMapChange("coredns-abc", { object: corefile("coredns-abc", { binaryData: { x: "eA==" } }) }),
    refused: true,
  },
  {
    name: "a ConfigMap made immutable",
    change: configMapChange("coredns-abc", { object: corefile("coredns-abc", { immutable: true }) }),
    refused: true,
  },
  {
    name: "a label of a Corefile, by a user",
    change: configMapChange("coredns-abc", {
      object: corefile("coredns-abc", { metadata: { name: "coredns-abc", labels: { team: "a" } } }),
    }),
    refused: false,
  },
  {
    name: "a Corefile's content, by the GitOps controller",
    change: configMapChange("coredns-abc", { requester: argo }),
    refused: false,
  },
  {
    name: "the deletion of a Corefile, by the GitOps controller",
    change: configMapChange("coredns-abc", { operation: "DELETE", object: null, requester: argo }),
    refused: false,
  },
  {
    name: "a Corefile's content, by one of an allowed group",
    change: configMapChange("coredns-abc", { requester: admin }),
    refused: false,
  },
  {
    name: "a ConfigMap with a name that only contains the prefix",
    change: configMapChange("my-coredns-abc"),
    refused: false,
  },
  { name: "a ConfigMap whose name is shorter than the prefix", change: configMapChange("corednsx"), refused: false },
  {
    name: "a Corefile's name in another namespace",
    change: configMapChange("coredns-abc", { namespace: "default" }),
    refused: false,
  },
  { name: "a port of the DNS Service", change: serviceChange("kube-dns"), refused: true },
  {
    name: "the deletion of the DNS Service",
    change: serviceChange("kube-dns", { operation: "DELETE", object: null }),
    refused: true,
  },
  {
    name: "the DNS Service as it is",
    change: serviceChange("kube-dns", { object: service("kube-dns") }),
    refused: false,
  },
  {
    name: "the label that takes the DNS Service from kube-proxy",
    change: metadataChange("kube-dns", { labels: { "service.kubernetes.io/service-proxy-name": "x" } }),
    refused: true,
  },
  {
    name: "the same label, through the Service's status",
    change: metadataChange("kube-dns", { labels: { "service.kubernetes.io/service-proxy-name": "x" } }),
    subresource: "status",
    refused: true,
  },
  {
    name: "the label that says that the DNS Service is headless",
    change: metadataChange("kube-dns", { labels: { "service.kubernetes.io/headless": "" } }),
    refused: true,
  },
  {
    name: "the annotation that chooses endpoints by zone",
    change: metadataChange("kube-dns", { annotations: { "service.kubernetes.io/topology-mode": "Auto" } }),
    refused: true,
  },
  {
    name: "the annotation with which Cilium adds endpoints of other clusters",
    change: metadataChange("kube-dns", { annotations: { "service.cilium.io/global": "true" } }),
    refused: true,
  },
  {
    name: "another label and annotation of the DNS Service",
    change: metadataChange("kube-dns", { labels: { team: "a" }, annotations: { "example.com/x": "y" } }),
    refused: false,
  },
  { name: "the upstream Service", change: serviceChange("kube-dns-upstream"), refused: true },
  {
    name: "an annotation that chooses endpoints, taken away",
    change: metadataChange(
      "kube-dns-upstream",
      { annotations: { "service.kubernetes.io/topology-mode": null } },
      { annotations: { "service.kubernetes.io/topology-mode": "Auto" } },
    ),
    refused: true,
  },
  { name: "a Service whose name begins alike", change: serviceChange("kube-dns-metrics"), refused: false },
  { name: "a Service that is named like a Corefile", change: serviceChange("coredns-abc"), refused: false },
];
