import { describe, expect, it } from "vitest";
import { mutatingWebhooks, validatingWebhooks } from "../../../src/model/admission/webhook/webhook-configurations";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { AdmissionOptions } from "../../../src/model/props/admission";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { cached } from "../../cached";

const tenancy = { tenants: [{ name: "baz", namespaces: ["bar"] }] };

const argo = { allowedUsers: ["argo"] };
const podDNSConfig = { options: { ndots: 2 }, excludedNamespaces: ["legacy"] };

function plan(admission: Partial<AdmissionOptions> = {}, more: Partial<ClusterDnsProps> = {}) {
  const { admission: made } = clusterOf({ ...cached, tenancy, admission: { ...argo, ...admission }, ...more });
  if (!made) throw new Error("no plan");
  return made;
}

const keys = (part: object) => Object.keys(part).sort();
const everything = ["namespaces", "podDns", "protectedObjects"];

describe("who decides", () => {
  const most = ["namespaces", "podDnsAudit", "protectedObjects"];
  const all = ["namespaces", "podDns", "podDnsAudit", "protectedObjects"];
  const untenanted = { tenancy: undefined };
  const guarded = { placementGuard: true };
  it.each<
    [version: string | undefined, policies: string[], webhook: string[], of?: Partial<AdmissionOptions>, more?: object]
  >([
    [undefined, [], everything],
    ["1.29", [], everything],
    ["1.30", most, ["podDns"]],
    ["1.35", most, ["podDns"]],
    ["1.36", all, []],
    ["1.37", all, []],
    // A policy only finds what the webhook missed.
    ["1.37", ["podDnsAudit"], everything, { enforcement: "webhook" }],
    // Without tenants nobody looks at pods and namespaces.
    ["1.37", ["protectedObjects"], ["placementGuard"], guarded, untenanted],
    ["1.35", ["protectedObjects"], ["podDns"], { podDNSConfig }, untenanted],
    ["1.36", ["podDns", "protectedObjects"], [], { podDNSConfig }, untenanted],
  ])("in %s: policies %j, the webhook %j; %j, %j", (kubernetesVersion, policies, webhook, of, more) => {
    const made = plan(of, { kubernetesVersion, ...more });
    expect([keys(made.policies), keys(made.webhook)]).toEqual([policies, webhook]);
  });

  it("nothing without admission", () => {
    expect(clusterOf({ clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" }).admission).toBeUndefined();
  });
});

describe("what is protected and guarded is what is rendered", () => {
  const allPrefixes = ["cluster-dns-", "coredns-", "node-local-dns-"];
  const upstream = ["kube-dns", "kube-dns-upstream"];
  const both = ["coredns", "node-local-dns"];
  const existing = { authoritativeDNS: { kind: "Existing" }, tenancy: undefined } as const;
  it.each<[what: string, props: Partial<ClusterDnsProps>, prefixes: string[], services: string[], guarded: string[]]>([
    ["all of it", {}, allPrefixes, ["kube-dns"], both],
    ["no cache", { nodeLocalDNS: { state: "disabled" } }, ["cluster-dns-", "coredns-"], ["kube-dns"], ["coredns"]],
    ["upstream's cache", { agentImage: undefined }, allPrefixes, upstream, both],
    ["the cluster's own DNS", existing, ["cluster-dns-", "node-local-dns-"], [], ["node-local-dns"]],
    ["a cache that asks through a Service of its own", { cni: "cilium" }, allPrefixes, upstream, both],
    ["link-local", { kubeProxyMode: "ipvs" }, allPrefixes, ["kube-dns"], both],
  ])("%s", (_what, props, prefixes, services, guarded) => {
    const { webhook } = plan({ placementGuard: true }, props);
    const of = (what: string) => webhook.protectedObjects?.objects.find(({ resource }) => resource === what);
    expect(of("configmaps")?.prefixes).toEqual(prefixes);
    expect(of("services")?.names ?? []).toEqual(services);
    expect(webhook.placementGuard?.names).toEqual(guarded);
  });

  it("pods get the addresses that fail over in their mode", () => {
    expect(plan().webhook.podDns?.tenants?.nameservers).toEqual(["10.96.0.10"]);
    expect(plan({}, { kubeProxyMode: "ipvs" }).webhook.podDns?.tenants?.nameservers).toEqual(["169.254.20.10"]);
  });
});

describe("webhook configurations", () => {
  const { webhook: guarding } = plan({ placementGuard: true });
  const all = () => [...mutatingWebhooks(guarding), ...validatingWebhooks(guarding)];

  it("never fail closed, never wait long, have no side effects", () => {
    const harmless = { failurePolicy: "Ignore", sideEffects: "None", matchPolicy: "Equivalent" };
    for (const { timeoutSeconds, ...webhook } of all()) {
      expect(webhook).toMatchObject(harmless);
      expect(timeoutSeconds).toBeLessThanOrEqual(2);
    }
  });

  it("never ask about what a cluster starts with", () => {
    const resources = new Set(
      all().flatMap(({ rules }) =>
        rules.flatMap(({ apiGroups, resources: names }) => names.map((one) => `${apiGroups.join()}/${one}`)),
      ),
    );
    const names = "/configmaps /namespaces /pods /services /services/status apps/daemonsets apps/deployments";
    expect([...resources].sort()).toEqual(names.split(" "));
  });

  it("never ask about pods of kube-system and kube-node-lease, and about the rest of kube-system by name", () => {
    for (const { rules, namespaceSelector, matchConditions } of all()) {
      const isOfPods = rules.some(({ resources }) => resources.includes("pods") || resources.includes("namespaces"));
      const selected = isOfPods
        ? { operator: "NotIn", values: ["kube-system", "kube-node-lease"] }
        : { operator: "In", values: ["kube-system"] };
      expect(namespaceSelector.matchExpressions?.[0]).toEqual({ key: "kubernetes.io/metadata.name", ...selected });
      if (!isOfPods) expect(matchConditions?.[0]?.expression).toContain("metadata.name");
    }
  });

  const byPrefix = { tenants: [{ name: "baz" }], membership: "prefix" } as const;
  const byLabel = { tenants: [{ name: "baz" }, { name: "qux" }], membership: "label", namespaceLabel: "t" } as const;
  const ofSystem = { ...byLabel, systemTenant: { name: "sys" } };
  it.each<[membership: string, tenancy: ClusterDnsProps["tenancy"], own: string[]]>([
    ["listed", tenancy, []],
    ["prefix", byPrefix, []],
    ["label", ofSystem, ["baz", "qux"]],
  ])("with membership %s ask only about pods of tenants", (_membership, tenants, own) => {
    const entries = mutatingWebhooks(plan({}, { tenancy: tenants }).webhook);
    expect(entries.map(({ name, clientConfig }) => [name, clientConfig.service.path])).toEqual([
      ["pods.webhook.cluster-dns", "/pods"],
      ...own.map((of) => [`${of}.pods.webhook.cluster-dns`, `/pods/${of}`]),
    ]);
    for (const { namespaceSelector, matchConditions } of entries) {
      expect((namespaceSelector.matchExpressions?.length ?? 0) + (matchConditions?.length ?? 0)).toBeGreaterThan(2);
    }
  });

  const untouched = ["kubernetes.io/metadata.name", "NotIn", "kube-system", "kube-node-lease"];
  it.each<[string, ClusterDnsProps["tenancy"], string[][][]]>([
    ["without tenants", undefined, [[[...untouched, "legacy"]]]],
    ["membership listed", tenancy, [[untouched]]],
    ["membership prefix", byPrefix, [[untouched]]],
    ["labels", byLabel, ["NotIn baz qux", "In baz", "In qux"].map((of) => [untouched, ["t", ...of.split(" ")]])],
  ])("with options for all pods, %s: ask about each pod once", (_what, tenants, expected) => {
    const entries = mutatingWebhooks(plan({ podDNSConfig }, { tenancy: tenants }).webhook);
    const selectors = entries.map(({ namespaceSelector: { matchExpressions = [] } }) =>
      matchExpressions.map(({ key, operator, values = [] }) => [key, operator, ...values]),
    );
    expect(selectors).toEqual(expected);
    expect(entries.flatMap(({ matchConditions = [] }) => matchConditions)).toHaveLength(entries.length);
  });

  it("do not hold thousands of namespaces", () => {
    const tenants = Array.from({ length: 1000 }, (_, i) => ({ name: `t${i}`, namespaces: [`n${i}`] }));
    const [entry] = mutatingWebhooks(plan({}, { tenancy: { tenants } }).webhook);
    expect(JSON.stringify(entry).length).toBeLessThan(3000);
  });
});
