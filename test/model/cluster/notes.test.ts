import { describe, expect, it } from "vitest";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import type { MonitoringOptions } from "../../../src/model/props/monitoring";
import type { AuthoritativeDnsOptions } from "../../../src/model/props/authoritative-dns";
import type { NodeLocalDnsOptions } from "../../../src/model/props/node-local-dns";
import type { Resources } from "../../../src/model/props/placement";

const least = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", agentImage: "agent:1" } as const;
const notesOf = (props: Partial<ClusterDnsProps>) => clusterOf({ ...least, ...props }).notes;
const notes = (resources: Resources) => notesOf({ authoritativeDNS: { resources } });

describe("without agentImage", () => {
  const facts = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "nftables" } as const;
  const agent = { agentImage: "agent:1" };

  it("one line says what upstream's cache gives, what agentImage adds, and how to keep it", () => {
    expect(clusterOf(facts).notes).toEqual([
      "every node has upstream's node-cache, without failover: while a killed one restarts, or one hangs, its pods have no DNS; with agentImage the cluster DNS answers them (docs/failover.md of cdk8s-cluster-dns). To keep node-cache, set nodeLocalDNS: {engine: node-cache}",
    ]);
    expect(clusterOf({ ...facts, kubeProxyMode: "ipvs" }).notes).toEqual([
      expect.stringContaining("while one is replaced, restarts or hangs"),
    ]);
  });

  it("two IP families have no cache, and one line says why", () => {
    expect(clusterOf({ ...facts, clusterDNS: ["10.96.0.10", "fd00:96::a"] }).notes).toEqual([
      "no node cache: clusterDNS has two IP families, and upstream's node-cache serves one; agentImage gives a cache for both (or set nodeLocalDNS: {state: disabled})",
    ]);
  });

  const jumping = { interception: "link-local", packetFilter: "iptables" } as const;
  it.each<[what: string, isAssumed: boolean, props: Partial<ClusterDnsProps>]>([
    ["upstream's node-cache asks a Service with the same pods", true, { nodeLocalDNS: { engine: "node-cache" } }],
    ["so does a cache with Cilium", true, { cni: "cilium", kubeProxyMode: "none", ciliumVersion: "1.17.3" }],
    ["rules that jump to kube-proxy's chains go by its name", true, { ...least, nodeLocalDNS: jumping }],
    ["rules for nftables go by its address", false, { ...agent, nodeLocalDNS: { interception: "link-local" } }],
  ])("a DNS Service of somebody else: %s", (_, isAssumed, props) => {
    const notesWith = (authoritativeDNS: AuthoritativeDnsOptions) =>
      clusterOf({ ...facts, ...props, authoritativeDNS: { kind: "Existing", ...authoritativeDNS } }).notes;
    const assumed = expect.stringContaining("authoritativeDNS.service") as string;
    expect(notesWith({})).toEqual(isAssumed ? [assumed] : []);
    expect(notesWith({ service: { name: "rke2-coredns-rke2-coredns" } })).toEqual([]);
  });

  it("what only the cache has is named where the cluster DNS is somebody else's", () => {
    const hostAliases = [{ ip: "10.1.1.1", hostnames: ["a.example"] }];
    const observation = { queryLog: {}, dnstap: { endpoint: "tcp://10.1.1.2:6000" } };
    const cached = { ...facts, ...agent, hostAliases, ...observation };
    expect(clusterOf({ ...cached, authoritativeDNS: { kind: "Existing" } }).notes).toEqual([
      expect.stringMatching(/^only the node cache has hostAliases, queryLog, dnstap: .*; set the same there$/),
    ]);
    expect(clusterOf(cached).notes).toEqual([]);
  });

  it.each<NodeLocalDnsOptions>([{ engine: "node-cache" }, { state: "disabled" }])("%j is what was wanted", (said) => {
    expect(clusterOf({ ...facts, nodeLocalDNS: said }).notes).toEqual([]);
  });
});

it.each<[note: string, resources: Resources]>([
  ["limits.memory: 170 is 170 bytes; 170Mi was probably meant", { limits: { memory: 170, cpu: "500m" } }],
  ["requests.memory: 70k is 70000 bytes", { requests: { memory: "70k" }, limits: { memory: "70Mi" } }],
  ["requests.ephemeral-storage: 5 is 5 bytes; 5Mi was probably meant", { requests: { "ephemeral-storage": "5" } }],
  ["requests.cpu: 100 is 100 whole CPUs; 100m was probably meant", { requests: { cpu: 100 } }],
])("a quantity without its unit is reported: %s", (note, resources) => {
  expect(notes(resources)).toContain(`authoritativeDNS.resources.${note}`);
});

it("an IPv6 server whose last part is a port is reported, unless the address needs that part", () => {
  const asking = (...servers: string[]) =>
    notesOf({ upstreamNameservers: servers.slice(0, 1), stubDomains: { "corp.example": servers.slice(1) } });
  expect(asking("2001:4860:4860::8888:53", "fd00::1:853")).toEqual([
    'an IPv6 address without a port: 2001:4860:4860::8888:53; "[2001:4860:4860::8888]:53" was probably meant',
    'an IPv6 address without a port: fd00::1:853; "[fd00::1]:853" was probably meant',
  ]);
  expect(asking("2001:db8::53", "10.1.1.1:53", "[fd00::1]:53", "2001:db8:0:0:0:0:0:53")).toEqual([]);
});

it("a server that a list has twice, also with its port, is reported there", () => {
  const more = "is there twice, and gets twice the queries; keep one";
  expect(
    notesOf({
      upstreamNameservers: ["9.9.9.9", "1.1.1.1", "9.9.9.9:53", "1.1.1.1:5353", "[fd00::1]:53", "fd00::1"],
      stubDomains: { "a.example": ["9.9.9.9"], "b.example": ["10.1.1.1", "10.1.1.1"] },
      zones: { "c.example": { forward: { servers: ["10.1.1.1:54", "10.1.1.1:54"] } } },
    }),
  ).toEqual([
    `upstreamNameservers: 9.9.9.9:53 ${more}`,
    `upstreamNameservers: fd00::1 ${more}`,
    `stubDomains.b.example: 10.1.1.1 ${more}`,
    `zones.c.example: 10.1.1.1:54 ${more}`,
  ]);
});

it("a server at the port of DNS over TLS that is asked without TLS is reported", () => {
  const asking = (upstreamTLSServerName?: string) =>
    notesOf({
      upstreamNameservers: ["9.9.9.9:853"],
      ...(upstreamTLSServerName && { upstreamTLSServerName }),
      stubDomains: { "corp.example": ["10.1.1.1:853", "10.1.1.2"] },
    }).map((note) => note.replace(/ is asked without TLS.*/, ""));
  expect(asking()).toEqual(["upstreamNameservers: 9.9.9.9:853", "stubDomains: 10.1.1.1:853"]);
  expect(asking("dns.quad9.net")).toEqual(["stubDomains: 10.1.1.1:853"]);
});

it.each<[ndots: number | undefined, names: string | undefined]>([
  [1, "web.prod and web.prod.svc"],
  [2, "web.prod.svc and db-0.db.prod"],
  [4, "_http._tcp.web.prod.svc"],
  [5, undefined],
  [undefined, undefined],
])("names that pods with ndots %s do not find by their search list are reported: %s", (ndots, names) => {
  const options = { timeout: 1, ...(ndots !== undefined && { ndots }) };
  const all = notesOf({ admission: { allowedUsers: ["argocd"], podDNSConfig: { options } } });
  expect(all).toEqual(names === undefined ? [] : [expect.stringContaining(` names such as ${names} any more`)]);
});

it("with Cilium, a version that may lose queries is told of until it is named", () => {
  const cilium = { kubeProxyMode: "none", cni: "cilium" } as const;
  expect(notesOf(cilium)).toEqual([expect.stringMatching(/^with Cilium from 1\.18\.0, .*: set ciliumVersion, /)]);
  expect(notesOf({ ...cilium, ciliumVersion: "1.17.3" })).toEqual([]);
});

it("a plugin of an addition that ends a promise is reported, once for all places of a component", () => {
  const corefile = { clusterNames: "debug", otherNames: "debug\nlog . {\n  class error\n}" };
  expect(notesOf({ authoritativeDNS: { corefile } })).toEqual([
    "authoritativeDNS.corefile: debug: a panic ends CoreDNS, and not only one answer",
  ]);
});

it("usual quantities are not reported", () => {
  expect(notes({ requests: { cpu: 2, memory: "70Mi" }, limits: { cpu: "16", memory: 1073741824 } })).toEqual([]);
  expect(notes({ requests: { cpu: 0, memory: 0 } })).toEqual([]);
});

it("a memory limit that a flood of large answers exceeds is reported, with the limit needed", () => {
  expect(notes({ limits: { memory: "170Mi" } })).toEqual([
    expect.stringMatching(/^authoritativeDNS\.resources\.limits\.memory 170Mi is less than the worst case, \d+Mi/),
  ]);
});

describe("network policies that shut out Prometheus are reported", () => {
  const policed = (monitoring: MonitoringOptions, networkPolicies: ClusterDnsProps["networkPolicies"]) =>
    clusterOf({ ...least, monitoring: { runbookBaseURL: "https://runbooks.example", ...monitoring }, networkPolicies });

  it.each<[note: string, monitoring: MonitoringOptions, metricsNamespaces: string[]]>([
    ["does not name observability, the namespace of monitoring", { namespace: "observability" }, ["monitoring"]],
    ["is empty", {}, []],
  ])("%s", (note, monitoring, metricsNamespaces) => {
    expect(policed(monitoring, { metricsNamespaces }).notes).toEqual([
      expect.stringContaining(`networkPolicies.metricsNamespaces ${note}`),
    ]);
  });

  it.each<[MonitoringOptions, ClusterDnsProps["networkPolicies"], admitted: string[]]>([
    [{ namespace: "observability" }, true, ["observability"]],
    [{ namespace: "observability" }, { metricsNamespaces: ["a", "observability"] }, ["a", "observability"]],
    [{ monitors: "annotations" }, { metricsNamespaces: [] }, []],
    [{}, {}, ["monitoring"]],
  ])("but not %j with %j", (monitoring, networkPolicies, admitted) => {
    const { notes: told, networkPolicies: settings } = policed(monitoring, networkPolicies);
    expect(told).toEqual([]);
    expect(settings?.metricsNamespaces).toEqual(admitted);
  });
});

describe("soft isolation whose search lists nobody sets is reported", () => {
  const tenants = [{ name: "green", namespaces: ["shop"] }];

  it.each<[ClusterDnsProps["tenancy"], ClusterDnsProps["admission"], notes: unknown[]]>([
    [{ tenants, isolation: "soft" }, undefined, [expect.stringContaining("no effect without admission")]],
    [{ tenants, isolation: "soft" }, { allowedUsers: ["a"] }, []],
    [{ tenants }, undefined, []],
  ])("%j with admission %j", (tenancy, admission, told) => expect(notesOf({ tenancy, admission })).toEqual(told));
});

const runbookBaseURL = "https://github.com/OWNER/repository";

it.each<[monitoring: MonitoringOptions, notes: unknown[]]>([
  [{ runbookBaseURL }, [expect.stringContaining("set monitoring.runbookBaseURL to where your copy of docs/")]],
  [{ runbookBaseURL, prometheusRule: false }, []],
  [{ runbookBaseURL: "https://runbooks.example" }, []],
])("alerts that link nowhere are reported: %j", (monitoring, told) => expect(notesOf({ monitoring })).toEqual(told));

it("options of servers that a CoreDNS does not know are reported", () => {
  const authoritativeDNS = { image: "registry.example/coredns:v1.12.4" };
  const upstreamOptions = { failFast: true, failover: ["SERVFAIL"], timeout: "1s" } as const;
  const leftOut = notesOf({ kubeProxyMode: "none", authoritativeDNS, upstreamOptions }).flatMap(
    (note) => /^authoritativeDNS: (\w+) is left out/.exec(note)?.[1] ?? [],
  );
  expect(leftOut).toEqual(["failover", "timeout"]);
});

describe("admission that locks out the GitOps controller is reported", () => {
  const repoURL = "https://git.example/fleet";
  const kustomizeController = "system:serviceaccount:flux-system:kustomize-controller";
  const applicationController = "system:serviceaccount:argocd:argocd-application-controller";
  const misspelt = applicationController.replace("controller", "contoller");
  const toldOf = (text: string): unknown => expect.stringContaining(text);
  const admin = { allowedUsers: ["admin"] };
  const elsewhere = { argocd: { repoURL, server: "https://k8s.example:6443" } };
  const such = (account: string) => [expect.stringMatching(new RegExp(`such as system:serviceaccount:${account}$`))];

  const ofFlux = such("flux-system:kustomize-controller");

  it.each<[gitops: ClusterDnsProps["gitops"], admission: ClusterDnsProps["admission"], notes: unknown[]]>([
    [{ argocd: { repoURL } }, admin, [expect.stringContaining("unless Argo CD is one of these users")]],
    [{ argocd: { repoURL, namespace: "cd" } }, admin, such("cd:argocd-application-controller")],
    [elsewhere, admin, such("kube-system:argocd-manager")],
    [elsewhere, { allowedUsers: ["system:serviceaccount:team:argocd"] }, []],
    [elsewhere, { allowedUsers: [applicationController] }, ["known only to its own cluster"].map(toldOf)],
    [{ argocd: { repoURL } }, { allowedUsers: [applicationController] }, []],
    [{ argocd: { repoURL } }, { allowedUsers: [misspelt] }, ["application-contoller is probably misspelt"].map(toldOf)],
    [{ argocd: { repoURL } }, { allowedUsers: ["system:serviceaccount:argocd:prod-application-controller"] }, []],
    [{ flux: {} }, admin, ofFlux],
    [{ flux: { namespace: "cd" } }, { allowedUsers: [kustomizeController] }, such("cd:kustomize-controller")],
    // No namespace has it, which the check says.
    [{ flux: { namespace: "(" } }, admin, such("\\(:kustomize-controller")],
    [{ flux: {} }, { ...admin, allowedGroups: ["system:serviceaccounts:team"] }, ofFlux],
    [{ flux: {} }, { allowedUsers: ["admin", kustomizeController] }, []],
    [{ flux: {} }, { ...admin, allowedGroups: ["system:serviceaccounts:flux-system"] }, []],
    [{ flux: {} }, { ...admin, allowedGroups: ["system:serviceaccounts"] }, []],
    [{ flux: {} }, { ...admin, allowedGroups: ["system:authenticated"] }, []],
    [undefined, admin, []],
  ])("%j with admission %j", (gitops, admission, told) => expect(notesOf({ gitops, admission })).toEqual(told));
});

it.each(Object.entries({ com: 1, k8s: 1, internal: 0, "cluster.local": 0 }))(
  "a cluster domain that may be a public one is noted: %s",
  (clusterDomain, count) => {
    const all = notesOf({ clusterDomain });
    expect(all.filter((note) => note.startsWith(`clusterDomain ${clusterDomain}:`))).toHaveLength(count);
  },
);
