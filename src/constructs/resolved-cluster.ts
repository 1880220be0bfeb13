import { Chart, Lazy } from "cdk8s";
import type { Construct } from "constructs";
import { resolve } from "../model/check/resolve";
import type { Cluster } from "../model/cluster/cluster";
import { namespace } from "../model/object-names";
import type { ClusterDnsProps } from "../model/props/cluster-dns";
import { dayOf } from "../model/syntax/day";
import { formatPath, type Problem } from "../model/syntax/problem";

/**
 * The cluster a construct is for: resolved from its props, or passed in already resolved.
 * @throws Error that names the construct and everything that is wrong with its props or its chart.
 */
export function resolvedCluster(construct: Construct, props: ClusterDnsProps | Cluster): Cluster {
  refuseOtherNamespace(construct);
  if (isCluster(props)) return props;
  const { cluster, problems } = resolve(props, dayOf(new Date()));
  if (cluster) return cluster;
  const lines = problems.map((problem) => {
    const { path, message } = lazyWithin(props, problem.path) ?? problem;
    return [construct.node.path, formatPath(path)].filter(Boolean).join(" ").concat(`: ${message}`);
  });
  throw new Error([...new Set(lines)].join("\n"));
}

function isCluster(props: ClusterDnsProps | Cluster): props is Cluster {
  // JavaScript may pass anything.
  return (props as Partial<Cluster> | undefined)?.kind === "Cluster";
}

/** Names and permissions are those of Kubernetes' own DNS, all in one namespace: a chart cannot choose another. */
function refuseOtherNamespace(construct: Construct): void {
  const chart = construct.node.scopes.findLast(Chart.isChart);
  if (chart?.namespace === undefined || chart.namespace === namespace) return;
  throw new Error(
    `${construct.node.path} belongs in namespace ${namespace}, but chart ${chart.node.path} has namespace ${chart.namespace}; add it to a chart without a namespace`,
  );
}

/** The Lazy value that a path leads through, if any: no prop can have one, since objects depend on all of them. */
function lazyWithin(props: unknown, path: Problem["path"]): Pick<Problem, "path" | "message"> | undefined {
  let value = props;
  for (const [i, step] of path.entries()) {
    value = (value as { readonly [step: string | number]: unknown } | null | undefined)?.[step];
    if (value instanceof Lazy)
      return {
        path: path.slice(0, i + 1),
        message: "is a Lazy value, but props are read when the construct is made; give the value itself",
      };
  }
  return undefined;
}
