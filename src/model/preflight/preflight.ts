import validate = require("../check/validate");
import type { Cluster } from "../cluster/cluster";
import type { ComponentObjects } from "../kubernetes/object";
import { asPlace, markOfVirtual, type Node } from "../placement/node";
import { placeable, type NodeMatch } from "../placement/placeable";
import type { ClusterState, ProxyEvidence } from "../running/cluster-state";
import { findProxy, otherProxyMode } from "../running/find-proxy";
import { grouped } from "../syntax/grouped";
import type { Problem } from "../syntax/problem";
import { some } from "../syntax/some";
import { dense, type Sparse } from "../syntax/sparse";
import { workloads, type Workload } from "./workloads";

export type Preflight = ReturnType<typeof preflight>;

export function preflight(cluster: Cluster, components: readonly ComponentObjects[], state: ClusterState) {
  const nodes = (state.nodes ?? []).map(asPlace);
  const proxy = findProxy(state);
  const other = otherProxyMode(proxy, cluster.said.kubeProxyMode);
  const otherMode = (other?.evidence ?? []).map((evidence) => wrongProxyMode(cluster, evidence));
  const placements = workloads(components).map((workload) => ({
    workload,
    matches: placeable(nodes, workload, workload).map((match, i) => onMachine(match, workload, nodes[i])),
  }));
  return {
    placements,
    kubeProxyModes: proxy.evidence,
    /** What would break: do not deploy. */
    problems: dense([
      placements.map(({ workload, matches }) => !matches.some(runs) && noMatchingNode(workload, matches)),
      other?.isCertain === true && otherMode,
    ]),
    /** What works, but may not be intended. */
    warnings: dense([
      placements.map(({ workload, matches }) => repeatedEvictions(workload, matches)),
      placements.map(
        ({ workload, matches }) => workload.name === "node-local-dns" && withoutCache(cluster, nodes, matches),
      ),
      comparisons(placements.map(({ workload }) => workload)),
      other?.isCertain === false &&
        otherMode.map((each) => ({ ...each, message: `${each.message}; ${ofWhomItMayBe}` })),
    ]),
  };
}

/** The DaemonSet controller makes pods for virtual nodes as well, and they stay Pending. */
function onMachine(match: NodeMatch, { kind }: Workload, node: Node | undefined): NodeMatch {
  const mark = kind === "DaemonSet" && node ? markOfVirtual(node) : undefined;
  if (mark === undefined) return match;
  return { ...match, reasons: [...match.reasons, `is a virtual node (${mark}), where no DaemonSet of ours can run`] };
}

function runs({ reasons }: NodeMatch): boolean {
  return reasons.length === 0;
}

function placementKey(component: string): Problem["path"] {
  // A watchdog runs where its cache does.
  const placed = component === "watchdog" ? "node-local-dns" : component;
  const isOf = (key = "") => key.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase() === placed;
  return validate.places.find(({ type, path }) => type === "NodePlacement" && isOf(path.at(-2)))?.path ?? [];
}

/** @param path Empty for what no key says. */
function about(path: Problem["path"], message: string): Problem {
  return { path, at: "value", message };
}

function noMatchingNode({ component, kind, name }: Workload, matches: readonly NodeMatch[]): Problem {
  const key = placementKey(component);
  const reasons = matches.flatMap((match) => match.reasons);
  const why = grouped(reasons, (reason) => reason)
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, 3)
    .map(([reason, { length }]) => `${length === 1 ? "1 node" : `${length} nodes`}: ${reason}`);
  return about(
    key,
    `${kind} ${name}: node placement parameters match 0 schedulable nodes of ${matches.length} (${why.join("; ")}): ` +
      `${key.length > 0 ? "change the placement, or " : ""}label, untaint or uncordon a node`,
  );
}

function repeatedEvictions({ component, kind, name }: Workload, matches: readonly NodeMatch[]): Problem | undefined {
  const matching = matches.filter(runs);
  const short = matching.filter(({ evictedAfter }) => evictedAfter !== undefined);
  if (short.length === 0) return undefined;
  const names = short.map(({ node }) => node);
  const where = short.length === matching.length ? "every node that it matches" : some(names, 8);
  const seconds = Math.min(...short.map(({ evictedAfter = 0 }) => evictedAfter));
  return about(
    placementKey(component),
    `${kind} ${name}: on ${where} its pods are evicted ${seconds} s after they start, again and again (a NoExecute taint with tolerationSeconds)`,
  );
}

function withoutCache(
  { queryPath, said }: Cluster,
  nodes: readonly Node[],
  matches: readonly NodeMatch[],
): Sparse<Problem> {
  const windows = nodes.filter(({ labels }) => labels["kubernetes.io/os"] === "windows").map(({ name }) => name);
  const missed = matches.filter((match) => !runs(match) && !windows.includes(match.node)).map(({ node }) => node);
  return [
    missed.length > 0 &&
      about(placementKey("node-local-dns"), `no cache on ${some(missed, 8)}; pods there ask the cluster DNS directly`),
    queryPath?.interception === "link-local" &&
      windows.length > 0 &&
      about(
        [],
        `${some(windows, 8)}: kubelets of Windows nodes must keep clusterDNS: [${said.clusterDNS.join(", ")}], as no link-local address exists there`,
      ),
  ];
}

// KEP-5471 is alpha from 1.35 to 1.37, and off unless its gate is set.
function comparisons(all: readonly Workload[]): Problem[] {
  return all
    .filter(({ tolerations }) => tolerations.some(({ operator }) => operator === "Gt" || operator === "Lt"))
    .map(({ component, kind, name }) =>
      about(
        placementKey(component),
        `${kind} ${name}: an API server without feature gate TaintTolerationComparisonOperators refuses operators Gt and Lt`,
      ),
    );
}

const ofWhomItMayBe =
  "it may be left of a kube-proxy that is gone: to see whether one runs, record DaemonSets as well (kubectl -n kube-system get nodes,configmaps,daemonsets -o json)";

function wrongProxyMode({ said }: Cluster, { mode, source }: ProxyEvidence): Problem {
  return about(
    ["kubeProxyMode"],
    `${said.kubeProxyMode} is configured, but ${source} says ${mode}; set kube-proxy's actual mode`,
  );
}
