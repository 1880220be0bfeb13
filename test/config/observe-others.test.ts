import { describe, expect, it } from "vitest";
import { observe } from "../../src/config/observe";
import { readState } from "../../src/live/read-state";
import { corefile, corefileMount, corefileVolume, inKubeSystem, seen, service } from "./observed";

describe("CoreDNS that somebody would restore is left to its owner", () => {
  const coredns = (metadata: object, name = "coredns") => ({
    kind: "Deployment",
    metadata: { name, namespace: "kube-system", ...metadata },
    spec: {
      replicas: 5,
      template: {
        spec: {
          containers: [{ name: "coredns", image: "cloud.example/coredns:v1", ...corefileMount }],
          volumes: [corefileVolume()],
        },
      },
    },
  });
  const label = (key: string, value: string) => ({ labels: { [key]: value } });
  const annotation = (key: string, value: string) => ({ annotations: { [key]: value } });

  it.each<[owner: string, mark: string, workload: object]>([
    ["EKS", "eks.amazonaws.com/component=coredns", coredns(label("eks.amazonaws.com/component", "coredns"))],
    ["EKS", "manager=eks", coredns({ managedFields: [{ manager: "eks", fieldsV1: {} }] })],
    [
      "an addon manager (AKS, GKE)",
      "addonmanager.kubernetes.io/mode=Reconcile",
      coredns(label("addonmanager.kubernetes.io/mode", "Reconcile"), "kube-dns"),
    ],
    ["k3s", "objectset.rio.cattle.io/hash=bce28", coredns(label("objectset.rio.cattle.io/hash", "bce28"))],
    [
      "Deckhouse",
      "heritage=deckhouse",
      coredns(
        {
          labels: { heritage: "deckhouse", "k8s-app": "kube-dns" },
          annotations: { "meta.helm.sh/release-name": "kube-dns" },
        },
        "d8-kube-dns",
      ),
    ],
    [
      "Helm",
      "meta.helm.sh/release-name=rke2-coredns",
      coredns(annotation("meta.helm.sh/release-name", "rke2-coredns"), "rke2-coredns-rke2-coredns"),
    ],
    [
      "Argo CD",
      "argocd.argoproj.io/tracking-id=dns:apps/Deployment:kube-system/coredns",
      coredns(annotation("argocd.argoproj.io/tracking-id", "dns:apps/Deployment:kube-system/coredns")),
    ],
    ["Flux", "kustomize.toolkit.fluxcd.io/name=dns", coredns(label("kustomize.toolkit.fluxcd.io/name", "dns"))],
    [
      "Gardener",
      "resources.gardener.cloud/managed-by=gardener",
      coredns(label("resources.gardener.cloud/managed-by", "gardener")),
    ],
    ["DigitalOcean", "doks.digitalocean.com/managed=true", coredns(label("doks.digitalocean.com/managed", "true"))],
    ["k0s", "k0s.k0sproject.io/stack=coredns", coredns(label("k0s.k0sproject.io/stack", "coredns"))],
    ["kapp", "kapp.k14s.io/app=1676", coredns(label("kapp.k14s.io/app", "1676"))],
    ["kOps", "app.kubernetes.io/managed-by=kops", coredns(label("app.kubernetes.io/managed-by", "kops"))],
    ["somebody", "cloud.example/managed-by=addons", coredns(label("cloud.example/managed-by", "addons"))],
    ["somebody", "note=Do not edit: see GitLab", coredns(annotation("note", "Do not edit: see GitLab"))],
    ["another object", "ownerReference=Dns/main", coredns({ ownerReferences: [{ kind: "Dns", name: "main" }] })],
  ])("%s: %s", (owner, mark, workload) => {
    // Its health check stays.
    const text =
      ".:53 {\n  health :8081\n  kubernetes cluster.local {\n    ttl 5\n  }\n  cache 60\n  forward . 8.8.8.8\n}\n";
    const items = [service, workload, inKubeSystem("Deployment", "dns-autoscaler", { spec: {} }), corefile(text)];
    const { description, reasons, unsaid } = observe(readState(JSON.stringify({ kind: "List", items })));
    expect(description["authoritativeDNS"]).toEqual({ kind: "Existing" });
    expect(reasons).toEqual({
      authoritativeDNS: expect.stringMatching(/^Deployment kube-system\/\S+ belongs to .*, which would undo changes/),
    });
    expect(reasons["authoritativeDNS"]).toContain(`belongs to ${owner}, `);
    expect(reasons["authoritativeDNS"]).toContain(`(${mark})`);
    expect(description["clusterDNS"]).toEqual(["10.96.0.10"]);
    expect(unsaid).toEqual([]);
  });

  it.each<[what: string, metadata: object]>([
    ["kubeadm's", label("k8s-app", "kube-dns")],
    ["what an addon manager only creates", label("addonmanager.kubernetes.io/mode", "EnsureExists")],
    [
      "ours, applied by Argo CD",
      {
        ...label("app.kubernetes.io/managed-by", "cdk8s-cluster-dns"),
        ...annotation("argocd.argoproj.io/tracking-id", "dns:apps/Deployment:kube-system/coredns"),
      },
    ],
  ])("but not %s", (_, metadata) => {
    const { description, reasons } = observe(readState(JSON.stringify({ kind: "List", items: [coredns(metadata)] })));
    expect(description["authoritativeDNS"]).toEqual({ replicas: 5 });
    const isOurs = JSON.stringify(metadata).includes("cdk8s-cluster-dns");
    expect(description["nodeLocalDNS"]).toEqual(isOurs ? { state: "disabled" } : undefined);
    expect(reasons).toEqual({});
  });

  it.each([
    ["nodelocaldns", " of an addon manager (AKS, GKE); turn it off there once ours runs"],
    [
      "node-local-dns",
      " with the name of ours, which takes its place: do not delete it; if an addon manager (AKS, GKE) still has it (addonmanager.kubernetes.io/mode=Reconcile), turn it off there first: later, that would delete ours",
    ],
  ])("a node cache of an addon manager is turned off there, before ours has its name: %s", (name, what) => {
    const metadata = { name, ...label("addonmanager.kubernetes.io/mode", "Reconcile") };
    expect(seen({ kind: "DaemonSet", metadata }).unsaid).toEqual([`DaemonSet ${name}: an existing node cache${what}`]);
  });

  it("Deckhouse's Service kube-dns is only an alias, and prefers what its owner says", () => {
    const alias = inKubeSystem("Service", "kube-dns", { spec: { type: "ExternalName" } });
    const real = {
      kind: "Service",
      metadata: { name: "d8-kube-dns", labels: { "k8s-app": "kube-dns", heritage: "deckhouse" } },
      spec: { clusterIPs: ["10.222.0.10"], selector: { "k8s-app": "kube-dns" }, trafficDistribution: "PreferClose" },
    };
    expect(seen(alias, real).description).toEqual({
      clusterDNS: ["10.222.0.10"],
      authoritativeDNS: { kind: "Existing" },
    });
  });
});

describe("a cluster DNS that keeps its owner, with pods or ports that kube-dns-upstream would not have", () => {
  const eks = { "eks.amazonaws.com/component": "kube-dns" };
  it.each<[what: string, metadata: object, spec: object]>([
    ["another selector", {}, { selector: { "k8s-app": "coredns" } }],
    ["another port", {}, { selector: { "k8s-app": "kube-dns" }, ports: [{ port: 53, targetPort: 5353 }] }],
    ["another namespace", { namespace: "dns" }, { selector: { "k8s-app": "kube-dns" } }],
  ])("%s: no cache without agentImage, and why", (_, metadata, spec) => {
    const item = { kind: "Service", metadata: { name: "kube-dns", labels: eks, ...metadata }, spec };
    const cache = { kind: "DaemonSet", metadata: { name: "node-local-dns" } };
    const { description, reasons, unsaid } = observe(readState(JSON.stringify({ items: [item, cache] })));
    expect(description).toMatchObject({ nodeLocalDNS: { state: "disabled" } });
    expect(reasons["nodeLocalDNS"]).toContain("has other pods or ports than Service kube-dns-upstream would");
    expect(unsaid).toEqual([
      "DaemonSet node-local-dns: an existing node cache, which stays as it is: the cluster file has none",
    ]);
  });

  it("as usual: a cache", () => {
    const spec = {
      selector: { "k8s-app": "kube-dns" },
      ports: [
        { port: 53, targetPort: 53 },
        { port: 9153, targetPort: 9153 },
      ],
    };
    const item = { kind: "Service", metadata: { name: "kube-dns", labels: eks }, spec };
    expect(observe(readState(JSON.stringify({ items: [item] }))).description).not.toHaveProperty("nodeLocalDNS");
  });
});

describe("the Corefile that counts", () => {
  const mounting = (name: string) =>
    inKubeSystem("Deployment", "coredns", {
      spec: {
        replicas: 2,
        template: {
          spec: {
            containers: [{ name: "coredns", ...corefileMount }],
            volumes: [corefileVolume(name), { configMap: { name: "coredns-custom", optional: true } }],
          },
        },
      },
    });

  it("is the mounted one", () => {
    const old = corefile(".:53 {\n  forward . 1.1.1.1\n}\n");
    const current = corefile(".:53 {\n  forward . 8.8.8.8\n  cache 30\n}\n", "coredns-1a2b3c4d5e");
    expect(seen(old, current, mounting("coredns-1a2b3c4d5e"))).toEqual({
      description: { upstreamNameservers: ["8.8.8.8"] },
      unsaid: [],
    });
  });

  it("is missed, not replaced by another", () => {
    expect(seen(corefile(".:53 {\n  forward . 1.1.1.1\n}\n"), mounting("mine"))).toEqual({
      description: {},
      unsaid: ["ConfigMap mine, which DNS pods mount, is not among the objects"],
    });
  });

  it.each<[what: string, configMap: object, why: string]>([
    [
      "without the key",
      inKubeSystem("ConfigMap", "mine", { data: {} }),
      "ConfigMap kube-system/mine has no key Corefile",
    ],
    ["elsewhere", corefile(""), "no ConfigMap among the objects is mounted there"],
  ])("is missed where it cannot be found: %s", (_, configMap, why) => {
    const spec = {
      containers: [{ name: "coredns", ...corefileMount }],
      volumes: [{ name: "config-volume", configMap: { name: "mine", optional: true } }],
    };
    const workload = inKubeSystem("Deployment", "coredns", { spec: { replicas: 2, template: { spec } } });
    expect(seen(configMap, workload).unsaid).toEqual([
      `Deployment kube-system/coredns: Corefile /etc/coredns/Corefile is not read: ${why}; compare it with the cluster file yourself`,
    ]);
  });

  it("may serve on another port, next to blocks that are not for pods", () => {
    const text =
      ".:5353 {\n  kubernetes cluster.local in-addr.arpa ip6.arpa {\n    fallthrough in-addr.arpa ip6.arpa\n  }\n  forward . 8.8.8.8\n  cache 30\n}\ncorp.example:5353 {\n  forward . 10.1.2.3\n  cache 30\n}\n.:9053 {\n  forward . 127.0.0.1:53\n}\n";
    expect(seen(corefile(text))).toEqual({
      description: {
        upstreamNameservers: ["8.8.8.8"],
        stubDomains: { "corp.example": ["10.1.2.3"] },
        authoritativeDNS: { ttl: 5, pods: "disabled" },
      },
      unsaid: ["ConfigMap kube-system/coredns: server block .:9053"],
    });
  });

  it("may serve other protocols beside", () => {
    const text =
      "tls://. {\n  forward . 9.9.9.9\n}\n.:53 {\n  kubernetes cluster.local in-addr.arpa ip6.arpa {\n    fallthrough in-addr.arpa ip6.arpa\n  }\n  forward . 8.8.8.8\n  cache 30\n}\ngrpc://. {\n  forward . 1.1.1.1\n}\n";
    expect(seen(corefile(text))).toEqual({
      description: { upstreamNameservers: ["8.8.8.8"], authoritativeDNS: { ttl: 5, pods: "disabled" } },
      unsaid: ["tls", "grpc"].map((protocol) => `ConfigMap kube-system/coredns: server block ${protocol}://.`),
    });
  });

  it("is read with CoreDNS's precedence: the first forward of a name, and the block of its own", () => {
    const text =
      ".:53 {\n  forward corp.example 10.1.2.3\n  forward . /etc/resolv.conf\n  forward . 8.8.8.8\n  cache 30\n}\ncorp.example {\n  forward . 10.1.2.4\n  cache 30\n}\n";
    expect(seen(corefile(text))).toEqual({
      description: { stubDomains: { "corp.example": ["10.1.2.4"] } },
      unsaid: ["ConfigMap kube-system/coredns: forward . 8.8.8.8"],
    });
  });
});

it.each<[what: string, object: object, message: string]>([
  [
    "stubDomains that are not JSON",
    inKubeSystem("ConfigMap", "kube-dns", { data: { stubDomains: "corp: 10.1.2.3" } }),
    'ConfigMap kube-system/kube-dns: data.stubDomains: "corp: 10.1.2.3" cannot be read; accepted: JSON such as {"corp.example": ["10.1.2.3"]}',
  ],
  [
    "upstreams that are not a list",
    inKubeSystem("ConfigMap", "kube-dns", { data: { upstreamNameservers: '"8.8.8.8"' } }),
    'ConfigMap kube-system/kube-dns: data.upstreamNameservers: "\\"8.8.8.8\\"" cannot be read; accepted: JSON such as ["10.1.2.3"]',
  ],
  [
    "a Service without spec",
    inKubeSystem("Service", "kube-dns", {}),
    "Service kube-system/kube-dns: is not as the API server writes it",
  ],
  [
    "a Deployment with containers that are no list",
    inKubeSystem("Deployment", "coredns", { spec: { template: { spec: { containers: {} } } } }),
    "Deployment kube-system/coredns: is not as the API server writes it",
  ],
])("the error about %s says where, and what is accepted", (_, object, message) => {
  expect(() => seen(object)).toThrow(new Error(message));
});
