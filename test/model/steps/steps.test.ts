import { describe, expect, it } from "vitest";
import { renderCluster } from "../../../src/charts/render-cluster";
import type { KubernetesObject } from "../../../src/model/kubernetes/object";
import { inForceIn } from "../../../src/model/changes/in-force-in";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { inForce } from "../../../src/model/steps/in-force";
import type { Step, StepId } from "../../../src/model/steps/step";
import { configureKubelets, steps } from "../../../src/model/steps/steps";
import { rows } from "../../rows/rows";

const linkLocal = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "ipvs", agentImage: "agent:1" } as const;
const stock: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "ipvs" };
const plain = { ...linkLocal, kubeProxyMode: "iptables" } as const;
type State = "enabled" | "disabled" | "draining" | "removed";
const state = (value: State): ClusterDnsProps => ({ ...linkLocal, nodeLocalDNS: { state: value } });
const argocd = { gitops: { argocd: { repoURL: "https://git.example/fleet" } } };
const flux = { gitops: { flux: {} } };
const movedFlux = { gitops: { flux: { namespace: "gitops" } } };
const nodeResolver = (value: "enabled" | "removed") =>
  ({ nodeResolver: { services: ["registry.infra.svc"], state: value } }) as const;

function between(before: ClusterDnsProps, after: ClusterDnsProps | undefined): Step[] {
  return steps(inForce(clusterOf(before)), after && inForce(clusterOf(after)));
}

/** A step's id, and what its text must name. */
type Expected = readonly [id: StepId, ...named: string[]];
type Row = [what: string, before: ClusterDnsProps, after: ClusterDnsProps | undefined, expected: readonly Expected[]];

function expectSteps(found: readonly Step[], expected: readonly Expected[]): void {
  expect(found.map(({ id }) => id)).toEqual(expected.map(([id]) => id));
  for (const [i, [, ...named]] of expected.entries()) for (const each of named) expect(found[i]?.text).toContain(each);
  expect(found.every(({ when, by, isWarning }) => when === "before" && by === "person" && isWarning)).toBe(true);
}

const [drain, kubelets, clean] = [["drain-first"], ["kubelets-first"], ["clean-nodes-first"]] as const;
const moved = { ...linkLocal, nodeLocalDNS: { linkLocalAddresses: ["169.254.20.20"] } };
const byIptables = { ...plain, nodeLocalDNS: { packetFilter: "iptables" } } as const;
const linked = (value: State): ClusterDnsProps => {
  return { ...plain, nodeLocalDNS: { interception: "link-local", state: value } };
};

it.each<Row>([
  ["all at once", state("enabled"), state("disabled"), [["drain-first", "ask 169.254.20.10 "]]],
  ["by removing", state("enabled"), state("removed"), [drain]],
  ["for node-cache, which answers there", state("enabled"), stock, []],
  ["for another address", state("enabled"), moved, [["drain-first", "ask 169.254.20.10 "]]],
  ["node-cache disabled", stock, { ...stock, nodeLocalDNS: { state: "disabled" } }, [kubelets]],
  ["node-cache for a second family", stock, { ...stock, clusterDNS: ["10.96.0.10", "fd00::a"] }, [kubelets]],
  ["node-cache for Cilium", stock, { ...stock, cni: "cilium" }, [kubelets]],
  ["node-cache for another mode, where it answers there too", stock, { ...stock, kubeProxyMode: "iptables" }, []],
  ["node-cache for the agent", stock, state("enabled"), []],
  ["node-cache with service-ip", { ...stock, kubeProxyMode: "iptables" }, { ...stock, kubeProxyMode: "none" }, []],
  ["for Cilium", state("enabled"), { ...linkLocal, kubeProxyMode: "none", cni: "cilium" }, [drain]],
  ["without a cleanup", state("draining"), state("disabled"), [clean]],
  ["by draining", state("enabled"), state("draining"), []],
  ["by draining and removing", state("draining"), state("removed"), []],
  ["after removing", state("removed"), state("disabled"), []],
  // The nftables rules of service-ip translate the link-local address too.
  ["for service-ip", state("enabled"), { ...linkLocal, kubeProxyMode: "nftables" }, []],
  ["with iptables rules, which do not", linked("enabled"), byIptables, [["kubelets-first", "packetFilter"]]],
  ["for these by draining", linked("draining"), byIptables, [kubelets]],
  ["not at all", state("enabled"), state("enabled"), []],
  ["from service-ip", { ...linkLocal, kubeProxyMode: "nftables" }, state("disabled"), []],
])("leaving link-local: %s", (_, before, after, expected) => {
  const found = between(before, after);
  expectSteps(found, expected);
  const isFirst = found.some(({ id }) => id === "kubelets-first");
  expect(configureKubelets(found, "kubelet").when).toBe(isFirst ? "before" : "after");
});

const kind = (value: "Deployment" | "DaemonSet" | "Existing", more: Partial<ClusterDnsProps> = {}) => {
  return { ...stock, authoritativeDNS: { kind: value }, ...more };
};
const deployment = "Argo CD deletes Deployment kube-system/coredns";

it.each<Row>([
  ["takes its Deployment", kind("Deployment"), kind("Existing"), [["leave-core-dns", deployment]]],
  ["takes its DaemonSet", kind("DaemonSet"), kind("Existing"), [["leave-core-dns", " DaemonSet "]]],
  ["is not a change of its kind", kind("Deployment"), kind("DaemonSet"), []],
  ["takes nothing that was never ours", kind("Existing"), kind("Existing"), []],
  ["Argo CD", kind("Deployment", argocd), kind("Existing", argocd), [["leave-core-dns", `${deployment}, `, "First"]]],
  ["a new controller", kind("Deployment"), kind("Existing", flux), [["leave-core-dns", "runs until somebody"]]],
  ["with Flux, which leaves it", kind("Deployment", flux), kind("Existing", flux), []],
  ["with Flux, which is left", kind("Deployment", flux), kind("Existing"), []],
])("leaving CoreDNS to the cluster: %s", (_, before, after, expected) => expectSteps(between(before, after), expected));

describe("leaving what running pods were told", () => {
  const domain = (clusterDomain: string, more: Partial<ClusterDnsProps> = {}): ClusterDnsProps => {
    return { ...linkLocal, clusterDomain, ...more };
  };
  const existing = { authoritativeDNS: { kind: "Existing" } } as const;
  const tenancy = { isolation: "hard", tenants: [{ name: "green", namespaces: ["shop"] }] } as const;
  const noCache = { kubeProxyMode: "none", nodeLocalDNS: { state: "disabled" } } as const;
  const isolated = { kubernetesVersion: "1.33", tenancy, ...noCache };
  const stub = (zone: string) => ({ stubDomains: { [zone]: ["10.1.1.1"] } });
  const dual = { ...plain, clusterDNS: ["10.96.0.10", "fd00::a"] };
  const swapped = { ...plain, clusterDNS: dual.clusterDNS.toReversed() };
  const changes: Expected = ["change-cluster-domain", "from k8s.x to k9s.x", "stubDomains"];

  it.each<Row>([
    ["their search list", domain("k8s.x"), domain("k9s.x"), [changes]],
    ["their search list, for a CoreDNS not ours", domain("k8s.x", existing), domain("k9s.x", existing), [changes]],
    ["their search list, with isolation", domain("k8s.x", isolated), domain("k9s.x", isolated), [changes]],
    ["their search list, wider", domain("k8s.x"), domain("x"), [["change-cluster-domain", "replaced. Do this"]]],
    ["their search list, beside a stub domain", domain("k8s.x", stub("x")), domain("k9s.x", stub("x")), [changes]],
    ["their search list to another server", domain("k8s.x"), domain("k9s.x", stub("k8s.x")), []],
    ["that server", domain("k9s.x", stub("k8s.x")), domain("k9s.x"), []],
    ["their nameserver", plain, { ...plain, clusterDNS: ["10.9.0.53"] }, [["move-dns-address", "leaves 10.96.0.10,"]]],
    ["one of two", dual, plain, [["take-dns-address", "loses fd00::a", "name 10.96.0.10"]]],
    ["the order of two", dual, swapped, [["reorder-dns-addresses", "at 10.96.0.10 and fd00::a"]]],
    ["nothing, for one more nameserver", plain, dual, []],
    ["what was never ours", { ...plain, ...existing }, { ...plain, ...existing, clusterDNS: ["10.96.0.53"] }, []],
  ])("%s", (_, before, after, expected) => expectSteps(between(before, after), expected));

  it("has kubelets name another address before one of two is taken", () => {
    const found = between(dual, plain);
    expect(configureKubelets(found, "dist/prod/kubelet")).toMatchObject({ when: "before", by: "kubelet" });
  });
});

const before = { ...linkLocal, ...nodeResolver("enabled") };
const after = { ...state("disabled"), authoritativeDNS: { kind: "Existing" } } as const;
const moves: Expected = ["move-kustomizations", "from namespace flux-system to gitops"];
const leaves: Expected = ["leave-node-resolver", "nodeResolver.state: removed"];

it.each<Row>([
  ["all at once", before, linkLocal, [leaves]],
  ["by removing its lines", before, { ...linkLocal, ...nodeResolver("removed") }, []],
  ["after that", { ...linkLocal, ...nodeResolver("removed") }, linkLocal, []],
  ["the whole folder, of which Flux prunes nothing", { ...before, ...flux }, undefined, []],
  ["the whole folder, of which Argo CD prunes nothing", { ...before, ...argocd }, undefined, []],
  ["the whole folder", before, undefined, [["drain-first"], ["leave-core-dns"], leaves]],
  ["Flux, which prunes nothing any more", { ...before, ...flux }, state("disabled"), []],
  ["to a controller that is new", before, { ...after, ...argocd }, [["drain-first"], ["leave-core-dns"], leaves]],
  ["as Flux moves", { ...before, ...flux }, { ...after, ...movedFlux }, [["drain-first"], leaves, moves]],
])("leaving with the node-resolver: %s", (_, from, to, expected) => expectSteps(between(from, to), expected));

it.each<readonly [what: string, props: ClusterDnsProps]>([
  ...rows.map(({ name, props }) => [name, props] as const),
  ...(["enabled", "draining", "removed", "disabled"] as const).map((each) => [each, state(each)] as const),
  ["a node-resolver", { ...linkLocal, ...nodeResolver("enabled") }],
  ["a node-resolver that leaves", { ...linkLocal, ...nodeResolver("removed") }],
  ["a CoreDNS as DaemonSet", { ...stock, authoritativeDNS: { kind: "DaemonSet" } }],
  ["a CoreDNS of the cluster", { ...stock, authoritativeDNS: { kind: "Existing" } }],
])("objects show what the description says: %s", (_, props) => {
  const cluster = clusterOf(props);
  const objects = renderCluster(cluster).components.flatMap((each) => each.objects as readonly KubernetesObject[]);
  const { stubZones, agent, ...shown } = inForceIn(objects);
  const { stubZones: said, agent: told, ...rest } = inForce(cluster);
  expect(shown).toEqual(rest);
  expect(agent).toEqual(told);
  expect(stubZones).toEqual(expect.arrayContaining([...said]));
});
