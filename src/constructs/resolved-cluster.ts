import { Chart } from "cdk8s";
import type { Construct } from "constructs";
import { resolve } from "../model/check/resolve";
import type { Cluster } from "../model/cluster/cluster";
import { namespace } from "../model/object-names";
import type { ClusterDnsProps } from "../model/props/cluster-dns";
import { formatPath } from "../model/syntax/problem";

/** What a construct is given: the description of a cluster, or the cluster that another construct made of it. */
export type ComponentProps = ClusterDnsProps | Cluster;

/** Resolved from props, or passed in as it is. @throws Error that names the construct and all that is wrong. */
export function resolvedCluster(construct: Construct, props: ComponentProps): Cluster {
  refuseOtherNamespace(construct);
  const { cluster, problems = [] } = resolve(props);
  if (cluster) return cluster;
  const lines = problems.map(({ path, message }) =>
    [construct.node.path, formatPath(path)].filter(Boolean).join(" ").concat(`: ${message}`),
  );
  throw new Error([...new Set(lines)].join("\n"));
}

/** Names and permissions are those of Kubernetes' own DNS, all in one namespace: a chart cannot choose another. */
function refuseOtherNamespace(construct: Construct): void {
  const chart = construct.node.scopes.findLast(Chart.isChart);
  if (chart?.namespace === undefined || chart.namespace === namespace) return;
  const other = typeof chart.namespace === "string" ? `namespace ${chart.namespace}` : "a namespace to be resolved";
  throw new Error(
    `${construct.node.path} belongs in namespace ${namespace}, but chart ${chart.node.path} has ${other}; add it to a chart without a namespace`,
  );
}
