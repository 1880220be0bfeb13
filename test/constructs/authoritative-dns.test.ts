import { describe, expect, it } from "vitest";
import { AuthoritativeDns } from "../../src/constructs/authoritative-dns";
import { revisionLabel } from "../../src/model/object-names";
import type { AuthoritativeDnsOptions } from "../../src/model/props/authoritative-dns";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import { rendererOf } from "./rendered";

const rendered = rendererOf(AuthoritativeDns, "dns", { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" });
const dns = (authoritativeDNS: AuthoritativeDnsOptions = {}, more: Partial<ClusterDnsProps> = {}) =>
  rendered({ authoritativeDNS, ...more });

describe("the number of pods", () => {
  it.each([
    [{}, 2],
    [{ replicas: 5 }, 5],
  ])("with %j is %i", (props, replicas) => {
    expect(dns(props).object("Deployment", "coredns").spec?.replicas).toBe(replicas);
  });

  // Two owners would fight over it (gardener#7129).
  it.each(["cluster-proportional", "horizontal"] as const)("is not set next to an autoscaler: %s", (mode) => {
    expect(dns({ autoscaler: { mode } }).object("Deployment", "coredns").spec).not.toHaveProperty("replicas");
  });

  // preventSinglePointFailure means at least two pods on more than one node, whatever min is.
  it("may stay at one with an autoscaler whose min is 1", () => {
    const { data } = dns({ autoscaler: { min: 1 } }).object("ConfigMap", "dns-autoscaler");
    expect(JSON.parse(String(data?.linear))).toMatchObject({ min: 1, preventSinglePointFailure: false });
  });

  // Otherwise two that a drain left on one node move together in every rollout.
  describe("is spread over nodes and zones, without counting the pods that a rollout replaces", () => {
    const template = (more: Partial<ClusterDnsProps>) => dns({}, more).object("Deployment", "coredns").spec?.template;
    const term = (more: Partial<ClusterDnsProps>) =>
      template(more)?.spec?.affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.[0]
        ?.podAffinityTerm;
    const revision = (more: Partial<ClusterDnsProps>) => template(more)?.metadata?.labels?.[revisionLabel];
    const byKey = { matchLabelKeys: ["pod-template-hash"] };

    it("over nodes by the API server's hash with Kubernetes 1.31", () => {
      const kubernetesVersion = "1.31";
      const labelSelector = { matchLabels: { "k8s-app": "kube-dns" } };
      expect(term({ kubernetesVersion })).toEqual({ topologyKey: "kubernetes.io/hostname", labelSelector, ...byKey });
      expect(revision({ kubernetesVersion })).toBeUndefined();
    });

    // Before 1.31, the API server drops the keys, and each comparison shows a difference.
    it.each([{}, { kubernetesVersion: "1.30" }])("over nodes by a hash of ours with %j", (version) => {
      const matchLabels = { "k8s-app": "kube-dns", [revisionLabel]: revision(version) };
      expect(term(version)).toEqual({ topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels } });
      expect(revision(version)).not.toBe(revision({ ...version, imageRegistry: "registry.example" }));
    });
  });
});

describe("placement", () => {
  it("replaces selector and tolerations, of the autoscaler too", () => {
    const nodePlacement = {
      nodeSelector: { "node-role.kubernetes.io/infra": "" },
      tolerations: [{ key: "node-role.kubernetes.io/infra", operator: "Exists", effect: "NoSchedule" }],
    } as const;
    const placed = dns({ nodePlacement, autoscaler: {} });
    expect(placed.pod("Deployment", "coredns")).toMatchObject(nodePlacement);
    expect(placed.pod("Deployment", "coredns").nodeSelector).toEqual(nodePlacement.nodeSelector);
    expect(placed.pod("Deployment", "dns-autoscaler")).toMatchObject(nodePlacement);
  });

  it("has no text that is empty in a toleration, as the API server keeps it: any other is a difference to it", () => {
    const tolerations = [{ key: "dns-only", operator: "Exists", value: "" }] as const;
    const placed = dns({ nodePlacement: { tolerations } }).pod("Deployment", "coredns");
    expect(placed.tolerations).toEqual([{ key: "dns-only", operator: "Exists" }]);
  });

  it.each([{}, { nodeSelector: {} }])("replaces one and keeps the other's default: %j", (said) => {
    const tolerations = [{ key: "dns-only", operator: "Exists" }] as const;
    const nodeSelector = { "kubernetes.io/os": "linux" };
    const placed = dns({ nodePlacement: { ...said, tolerations } }).pod("Deployment", "coredns");
    expect(placed).toMatchObject({ nodeSelector, tolerations });
  });
});

it("may read what a kubernetes plugin that is added watches", () => {
  const blocks = "clusterset.local {\n  kubernetes {\n    multicluster clusterset.local\n  }\n}\n";
  const rules: unknown = dns({ corefile: { blocks } }).object("ClusterRole", "system:coredns").rules;
  const watch = { resources: ["serviceimports"], verbs: ["list", "watch"] };
  expect(rules).toContainEqual({ apiGroups: ["multicluster.x-k8s.io"], ...watch });
});

describe("resources", () => {
  it("set GOMEMLIMIT to 90% of the memory limit, if there is one", () => {
    const limited = dns({ resources: { limits: { memory: "1Gi" } } });
    expect(limited.container("Deployment", "coredns").env).toEqual([{ name: "GOMEMLIMIT", value: "921MiB" }]);
    expect(dns({ resources: {} }).container("Deployment", "coredns")).not.toHaveProperty("env");
  });

  const spelled = { requests: { cpu: "500m", memory: "1Gi" }, limits: { cpu: "1" } };
  // The API server drops empty mappings, and Argo CD would show the difference for ever.
  it.each([
    [{ requests: { cpu: 0.5, memory: "1024Mi" }, limits: { cpu: "1000m" } }, spelled],
    [{ requests: {}, limits: {} }, {}],
  ])("are spelled as in the API server: %j", (resources, expected) => {
    expect(dns({ resources }).container("Deployment", "coredns").resources).toEqual(expected);
  });
});

it.each([
  [{}, {}, "registry.k8s.io/coredns/coredns:v1.14.7"],
  [{}, { imageRegistry: "mirror.example:5000/k8s" }, "mirror.example:5000/k8s/coredns/coredns:v1.14.7"],
  [{ image: "my.example/coredns:v1.15.0" }, { imageRegistry: "mirror.example" }, "my.example/coredns:v1.15.0"],
])("the image with %j and %j", (options, more, image) => {
  expect(dns(options, more).container("Deployment", "coredns").image).toBe(image);
});

it("an error says that existing DNS is not constructed", () => {
  expect(() => dns({ kind: "Existing" })).toThrow("test/dns authoritativeDNS.kind: Existing has nothing to construct");
});

it.each<[string, Partial<ClusterDnsProps>]>([
  ["without resilience", { kubernetesVersion: "1.37" }],
  ["for a cluster that may be older than 1.29", { resilience: true }],
  ["turned off", { kubernetesVersion: "1.37", resilience: { apiPriority: false } }],
])("CoreDNS has no share of its own of the API server %s", (_, props) => {
  const { has } = dns({}, props);
  expect(["PriorityLevelConfiguration", "FlowSchema"].filter((kind) => has(kind, "cluster-dns"))).toEqual([]);
});
