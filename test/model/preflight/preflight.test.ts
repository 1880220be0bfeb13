import { describe, expect, it } from "vitest";
import { renderCluster } from "../../../src/charts/render-cluster";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { KubernetesObject } from "../../../src/model/kubernetes/object";
import type { Node } from "../../../src/model/placement/node";
import { preflight } from "../../../src/model/preflight/preflight";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { type ClusterState, stateOf } from "../../../src/model/running/cluster-state";
import { formatPath, type Problem } from "../../../src/model/syntax/problem";

const agentImage = "registry.example/agent:1";
const shortest: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", agentImage };

function node(name: string, os = "linux", over: Partial<Node> = {}): Node {
  return { name, labels: { "kubernetes.io/os": os }, taints: [], unschedulable: false, ...over };
}

function asObject({ name, labels, taints, unschedulable }: Node): KubernetesObject {
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels }, spec: { taints, unschedulable } };
}

function check(props: Partial<ClusterDnsProps>, nodes: readonly Node[], proxy: Partial<ClusterState> = {}) {
  const cluster = clusterOf({ ...shortest, ...props });
  const state = { ...stateOf(nodes.map(asObject), []), ...proxy };
  const { placements, problems, warnings } = preflight(cluster, renderCluster(cluster).components, state);
  const said = ({ path, message }: Problem) => (path.length > 0 ? `${formatPath(path)}: ${message}` : message);
  return { placements, problems: problems.map(said), warnings: warnings.map(said) };
}

it("finds nothing wrong with a cluster of Linux nodes", () => {
  const { placements, problems, warnings } = check({}, [node("a"), node("b")]);
  expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
  expect(placements.map(({ workload: of }) => of.name)).toEqual(expect.arrayContaining(["coredns", "node-local-dns"]));
});

describe("refuses", () => {
  it("a placement that matches no node, with the most frequent reasons and the key to change", () => {
    const tainted = { taints: [{ key: "maintenance", effect: "NoSchedule" }] } as const;
    expect(
      check({}, [node("a", "linux", tainted), node("b", "linux", tainted), node("c", "windows")]).problems,
    ).toEqual([
      "authoritativeDNS.nodePlacement: Deployment coredns: node placement parameters match 0 schedulable nodes of 3 " +
        '(2 nodes: taint maintenance:NoSchedule is not tolerated; 1 node: label kubernetes.io/os is "windows", not "linux"): ' +
        "change the placement, or label, untaint or uncordon a node",
    ]);
  });

  it("a cache without a node", () => {
    const nodePlacement = { nodeSelector: { cache: "yes" } };
    expect(check({ nodeLocalDNS: { nodePlacement } }, [node("a")]).problems[0]).toMatch(
      /^nodeLocalDNS\.nodePlacement: DaemonSet node-local-dns: .* match 0 schedulable nodes/,
    );
  });

  it("a mode of kube-proxy other than the configured one", () => {
    const source = "ConfigMap kube-proxy (config.conf)";
    const found = { proxyConfigurations: [{ mode: "ipvs", source, configMap: "kube-proxy" }] };
    expect(check({}, [node("a")], found).problems).toEqual([
      "kubeProxyMode: iptables is configured, but ConfigMap kube-proxy (config.conf) says ipvs; set kube-proxy's actual mode",
    ]);
    expect(check({ kubeProxyMode: "ipvs" }, [node("a")], found).problems).toEqual([]);
  });
});

describe("warns", () => {
  it("about Linux nodes without a cache, not about Windows nodes", () => {
    const nodePlacement = { nodeSelector: { "kubernetes.io/os": "linux" }, tolerations: [] };
    const taints = [{ key: "gpu", effect: "NoSchedule" } as const];
    const nodes = [node("a"), node("b", "linux", { taints }), node("c", "windows")];
    expect(check({ nodeLocalDNS: { nodePlacement } }, nodes).warnings).toEqual([
      "nodeLocalDNS.nodePlacement: no cache on b; pods there ask the cluster DNS directly",
    ]);
  });

  it.each([
    ["type", "virtual-kubelet"],
    ["eks.amazonaws.com/compute-type", "fargate"],
  ])("about nodes without a machine, where CoreDNS runs and no cache: %s=%s", (label, value) => {
    const labels = { "kubernetes.io/os": "linux", [label]: value };
    const { placements, problems, warnings } = check({}, [node("a"), node("b", "linux", { labels })]);
    expect({ problems, warnings }).toEqual({
      problems: [],
      warnings: ["nodeLocalDNS.nodePlacement: no cache on b; pods there ask the cluster DNS directly"],
    });
    const runs = placements.map(({ workload: { kind }, matches }) => [kind, matches[1]?.reasons.length === 0]);
    expect(runs).toEqual(runs.map(([kind]) => [kind, kind !== "DaemonSet"]));
  });

  it("about many nodes without naming them all", () => {
    const nodePlacement = { nodeSelector: { zone: "a" } };
    const nodes = [
      node("z", "linux", { labels: { "kubernetes.io/os": "linux", zone: "a" } }),
      ...Array.from({ length: 100 }, (_, i) => node(`n${i}`)),
    ];
    expect(check({ nodeLocalDNS: { nodePlacement } }, nodes).warnings).toEqual([
      "nodeLocalDNS.nodePlacement: no cache on n0, n1, n2, n3, n4, n5, n6, n7 and 92 more; pods there ask the cluster DNS directly",
    ]);
  });

  it("about Windows nodes with a link-local cache, whose address they do not have", () => {
    const windows = [node("a"), node("win", "windows")];
    expect(check({ nodeLocalDNS: { interception: "link-local" } }, windows).warnings).toEqual([
      "win: kubelets of Windows nodes must keep clusterDNS: [10.96.0.10], as no link-local address exists there",
    ]);
    expect(check({ nodeLocalDNS: { interception: "service-ip" } }, windows).warnings).toEqual([]);
  });

  it("about pods that are evicted repeatedly", () => {
    const nodePlacement = {
      tolerations: [{ key: "spot", operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 }],
    } as const;
    const spot = { taints: [{ key: "spot", effect: "NoExecute" }] } as const;
    const warnings = (...nodes: Node[]) => check({ authoritativeDNS: { nodePlacement } }, nodes).warnings;
    expect(warnings(node("a", "linux", spot))).toEqual([
      "authoritativeDNS.nodePlacement: Deployment coredns: on every node that it matches its pods are evicted 30 s after they start, again and again (a NoExecute taint with tolerationSeconds)",
    ]);
    expect(warnings(node("a", "linux", spot), node("b"))).toEqual([
      expect.stringContaining("on a its pods are evicted 30 s"),
    ]);
  });

  it("about operators behind a feature gate", () => {
    const nodePlacement = { tolerations: [{ key: "sla", operator: "Gt", value: "900" }] } as const;
    expect(check({ kubernetesVersion: "1.36", authoritativeDNS: { nodePlacement } }, [node("a")]).warnings).toEqual([
      "authoritativeDNS.nodePlacement: Deployment coredns: an API server without feature gate TaintTolerationComparisonOperators refuses operators Gt and Lt",
    ]);
  });
});
