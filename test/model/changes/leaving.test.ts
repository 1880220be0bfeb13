import { describe, expect, it } from "vitest";
import { renderCluster } from "../../../src/charts/render-cluster";
import { whenKubelets } from "../../../src/model/changes/kubelets-first";
import { leaving } from "../../../src/model/changes/leaving";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { KubernetesObject } from "../../../src/model/kubernetes/object";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";

const linkLocal = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "ipvs", agentImage: "agent:1" } as const;
const stock: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "ipvs" };
const plain = { ...linkLocal, kubeProxyMode: "iptables" } as const;
const state = (value: "enabled" | "disabled" | "draining" | "removed"): ClusterDnsProps => ({
  ...linkLocal,
  nodeLocalDNS: { state: value },
});

const flux: KubernetesObject = {
  apiVersion: "kustomize.toolkit.fluxcd.io/v1",
  kind: "Kustomization",
  metadata: { name: "cluster-dns", namespace: "flux-system" },
};
const application: KubernetesObject = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "cluster-dns-prod", namespace: "argocd" },
};

function objectsOf(props: ClusterDnsProps): KubernetesObject[] {
  return renderCluster(clusterOf(props)).components.flatMap(({ objects }) => objects as readonly KubernetesObject[]);
}

describe("leaving link-local", () => {
  it.each<[what: string, before: ClusterDnsProps, after: ClusterDnsProps, warning: RegExp | undefined]>([
    ["all at once", state("enabled"), state("disabled"), /still ask 169\.254\.20\.10, .*state: draining first/],
    ["by removing", state("enabled"), state("removed"), /state: draining first/],
    ["for node-cache, which answers there", state("enabled"), stock, undefined],
    [
      "for another address",
      state("enabled"),
      { ...linkLocal, nodeLocalDNS: { linkLocalAddresses: ["169.254.20.20"] } },
      /169\.254\.20\.10, where nothing will answer; set/,
    ],
    ["node-cache disabled", stock, { ...stock, nodeLocalDNS: { state: "disabled" } }, /restart all pods/],
    ["node-cache for a second family", stock, { ...stock, clusterDNS: ["10.96.0.10", "fd00::a"] }, /restart all pods/],
    ["node-cache for Cilium", stock, { ...stock, cni: "cilium" }, /restart all pods/],
    [
      "node-cache for another proxy mode, where it answers there too",
      stock,
      { ...stock, kubeProxyMode: "iptables" },
      undefined,
    ],
    ["node-cache for the agent", stock, state("enabled"), undefined],
    [
      "node-cache with service-ip",
      { ...stock, kubeProxyMode: "iptables" },
      { ...stock, kubeProxyMode: "none" },
      undefined,
    ],
    ["for Cilium", state("enabled"), { ...linkLocal, kubeProxyMode: "none", cni: "cilium" }, /state: draining first/],
    ["without a cleanup", state("draining"), state("disabled"), /state: removed first/],
    ["by draining", state("enabled"), state("draining"), undefined],
    ["by draining and removing", state("draining"), state("removed"), undefined],
    ["after removing", state("removed"), state("disabled"), undefined],
    // The nftables rules of service-ip translate the link-local address too.
    ["for service-ip", state("enabled"), { ...linkLocal, kubeProxyMode: "nftables" }, undefined],
    [
      "for service-ip with iptables rules, which do not",
      { ...linkLocal, kubeProxyMode: "iptables", nodeLocalDNS: { interception: "link-local" } },
      { ...linkLocal, kubeProxyMode: "iptables", nodeLocalDNS: { packetFilter: "iptables" } },
      /with packetFilter: iptables nobody answers while a node's cache is down; first have kubelets/,
    ],
    [
      "for these by draining",
      {
        ...linkLocal,
        kubeProxyMode: "iptables",
        nodeLocalDNS: { interception: "link-local", state: "draining" },
      },
      { ...linkLocal, kubeProxyMode: "iptables", nodeLocalDNS: { packetFilter: "iptables" } },
      /first have kubelets/,
    ],
    ["not at all", state("enabled"), state("enabled"), undefined],
    ["from service-ip", { ...linkLocal, kubeProxyMode: "nftables" }, state("disabled"), undefined],
  ])("%s", (_, before, after, warning) => {
    const found = leaving(objectsOf(before), objectsOf(after));
    expect(found).toEqual(warning ? [expect.stringMatching(warning)] : []);
    // The kubelets' step says the same.
    expect(whenKubelets(found)).toBe(/kubelets|restart/.test(String(warning)) ? "before" : "after");
  });

  it("looks at the configuration in use, not at one that an earlier description left in the cluster", () => {
    const isConfiguration = ({ kind }: KubernetesObject) => kind === "ConfigMap";
    const left = objectsOf(state("enabled")).filter(isConfiguration);
    const now = objectsOf({ ...linkLocal, kubeProxyMode: "nftables" });
    expect(leaving([...left, ...now], objectsOf(state("disabled")))).toEqual([]);
  });
});

describe("leaving CoreDNS to the cluster", () => {
  const kind = (value: "Deployment" | "DaemonSet" | "Existing"): ClusterDnsProps => ({
    ...stock,
    authoritativeDNS: { kind: value },
  });

  it.each<[what: string, before: ClusterDnsProps, after: ClusterDnsProps, warning: RegExp | undefined]>([
    [
      "takes its Deployment",
      kind("Deployment"),
      kind("Existing"),
      /deletes Deployment kube-system\/coredns, .*, first see/,
    ],
    ["takes its DaemonSet", kind("DaemonSet"), kind("Existing"), /deletes DaemonSet kube-system\/coredns, /],
    ["is not a change of its kind", kind("Deployment"), kind("DaemonSet"), undefined],
    ["takes nothing that was never ours", kind("Existing"), kind("Existing"), undefined],
  ])("%s", (_, before, after, warning) => {
    const found = leaving(objectsOf(before), objectsOf(after));
    expect(found).toEqual(warning ? [expect.stringMatching(warning)] : []);
  });

  it("is told as what the controller does that applied it", () => {
    const [before, after] = [objectsOf(kind("Deployment")), objectsOf(kind("Existing"))];
    expect(leaving([...before, application], [...after, application])).toEqual([
      expect.stringMatching(/Argo CD deletes (?!.*Flux)/),
    ]);
    expect(leaving([...before, flux], [...after, flux])).toEqual([]);
    expect(leaving([...before, flux], after)).toEqual([]);
  });
});

describe("leaving what running pods were told", () => {
  const domain = (clusterDomain: string, more: Partial<ClusterDnsProps> = {}): ClusterDnsProps => ({
    ...linkLocal,
    clusterDomain,
    ...more,
  });
  const existing = { authoritativeDNS: { kind: "Existing" } } as const;
  const isolated = {
    kubernetesVersion: "1.33",
    kubeProxyMode: "none",
    tenancy: { isolation: "hard", tenants: [{ name: "green", namespaces: ["shop"] }] },
    nodeLocalDNS: { state: "disabled" },
  } as const;
  const both = ["10.96.0.10", "fd00::a"];

  it.each<[what: string, before: ClusterDnsProps, after: ClusterDnsProps, warning: RegExp | undefined]>([
    ["their search list", domain("k8s.x"), domain("k9s.x"), /from k8s\.x to k9s\.x: .* stubDomains in this commit, or/],
    [
      "their search list, for a CoreDNS that is not ours",
      domain("k8s.x", existing),
      domain("k9s.x", existing),
      /k8s\.x/,
    ],
    ["their search list, with isolation", domain("k8s.x", isolated), domain("k9s.x", isolated), /k8s\.x/],
    ["their search list, for a domain around it", domain("k8s.x"), domain("x"), /made anew; do this in a maintenance/],
    [
      "their search list, where a stub domain around it has been all along",
      domain("k8s.x", { stubDomains: { x: ["10.1.1.1"] } }),
      domain("k9s.x", { stubDomains: { x: ["10.1.1.1"] } }),
      /k8s\.x/,
    ],
    [
      "their search list to another server",
      domain("k8s.x"),
      domain("k9s.x", { stubDomains: { "k8s.x": ["10.96.0.20"] } }),
      undefined,
    ],
    ["that server", domain("k9s.x", { stubDomains: { "k8s.x": ["10.96.0.20"] } }), domain("k9s.x"), undefined],
    [
      "their nameserver",
      plain,
      { ...plain, clusterDNS: ["10.96.0.53"] },
      /away from 10\.96\.0\.10, which .* a Service of your own at 10\.96\.0\.10 /,
    ],
    [
      "one nameserver of two",
      { ...plain, clusterDNS: both },
      plain,
      /^takes fd00::a from .* kubelets name 10\.96\.0\.10,/,
    ],
    [
      "two nameservers that change places, for a moment",
      { ...plain, clusterDNS: both },
      { ...plain, clusterDNS: both.toReversed() },
      /^makes .* anew, .* at 10\.96\.0\.10 and fd00::a from its deletion/,
    ],
    ["nothing, for one more nameserver", plain, { ...plain, clusterDNS: both }, undefined],
    [
      "what was never ours",
      { ...plain, ...existing },
      { ...plain, ...existing, clusterDNS: ["10.96.0.53"] },
      undefined,
    ],
  ])("%s", (_, before, after, warning) => {
    const found = leaving(objectsOf(before), objectsOf(after));
    expect(found).toEqual(warning ? [expect.stringMatching(warning)] : []);
  });
});

it("nothing leaves with the whole folder, of which no controller prunes anything", () => {
  const before = objectsOf({ ...linkLocal, nodeResolver: { services: ["registry.infra.svc"] } });
  expect(leaving([...before, flux], [])).toEqual([]);
  expect(leaving([...before, application], [])).toEqual([]);
  expect(leaving(before, [])).toHaveLength(3);
});

it("neither cache nor node-resolver leaves with Flux, which prunes them no more", () => {
  const before = objectsOf({ ...linkLocal, nodeResolver: { services: ["registry.infra.svc"] } });
  expect(leaving([...before, flux], objectsOf(state("disabled")))).toEqual([expect.stringMatching(/^leaves Flux/)]);
});

it("cache, node-resolver and CoreDNS leave with a warning if it is somebody who is told to delete them", () => {
  const before = objectsOf({ ...linkLocal, nodeResolver: { services: ["registry.infra.svc"] } });
  const after = objectsOf({ ...state("disabled"), authoritativeDNS: { kind: "Existing" } });
  const moved = { ...flux, metadata: { ...flux.metadata, namespace: "gitops" } };
  const [cache, nodeResolver] = [/set nodeLocalDNS\.state: draining first/, /^removes the node-resolver/].map((each) =>
    expect.stringMatching(each),
  );
  const coreDns = expect.stringMatching(/CoreDNS any more: Deployment kube-system\/coredns runs until it is deleted/);
  for (const next of [application, flux])
    expect(leaving(before, [...after, next])).toEqual([cache, coreDns, nodeResolver]);
  // Flux leaves the authoritative DNS where it is.
  expect(leaving([...before, flux], [...after, moved])).toEqual([
    cache,
    nodeResolver,
    expect.stringMatching(/^moves Flux's Kustomizations from namespace flux-system to gitops/),
  ]);
});

describe("leaving the node-resolver", () => {
  const nodeResolver = (value: "enabled" | "removed"): ClusterDnsProps => ({
    ...linkLocal,
    nodeResolver: { services: ["registry.infra.svc"], state: value },
  });

  it.each<[what: string, before: ClusterDnsProps, after: ClusterDnsProps, warning: RegExp | undefined]>([
    [
      "all at once",
      nodeResolver("enabled"),
      linkLocal,
      /lines stay in every node's \/etc\/hosts, .*state: removed first/,
    ],
    ["by removing its lines", nodeResolver("enabled"), nodeResolver("removed"), undefined],
    ["after that", nodeResolver("removed"), linkLocal, undefined],
  ])("%s", (_, before, after, warning) => {
    const found = leaving(objectsOf(before), objectsOf(after));
    expect(found).toEqual(warning ? [expect.stringMatching(warning)] : []);
  });
});

describe("leaving Flux", () => {
  const more = {
    ...plain,
    kubernetesVersion: "1.36",
    nodeResolver: { services: ["registry.infra.svc"] },
    admission: { allowedUsers: ["admin"] },
    networkPolicies: true,
    smokeTest: true,
  };

  it.each<
    [what: string, before: readonly KubernetesObject[], after: readonly KubernetesObject[], staying: number | undefined]
  >([
    ["with components", [...objectsOf(more), flux], objectsOf(plain), 11],
    [
      "with a changed configuration",
      [...objectsOf(more), flux],
      objectsOf({ ...more, nodeResolver: { services: ["a.b.svc"] } }),
      undefined,
    ],
    [
      "with another kind of CoreDNS",
      [...objectsOf(plain), flux],
      objectsOf({ ...plain, authoritativeDNS: { kind: "DaemonSet" } }),
      2,
    ],
    ["alone", [...objectsOf(more), flux], objectsOf(more), undefined],
    ["not", [...objectsOf(more), flux], [...objectsOf(plain), flux], undefined],
    ["with the whole cluster", [...objectsOf(more), flux], [], undefined],
    ["never had", objectsOf(more), objectsOf(plain), undefined],
  ])("%s", (_, before, after, staying) => {
    const told = leaving(before, after).filter((each) => each.startsWith("leaves Flux"));
    expect(told).toEqual(
      staying === undefined
        ? []
        : [expect.stringMatching(`^leaves Flux, .* stays in the cluster, .*\\(${staying} of the objects below\\)`)],
    );
  });
});
