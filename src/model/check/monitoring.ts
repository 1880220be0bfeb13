import type { Cluster } from "../cluster/cluster";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { Problem } from "../syntax/problem";
import { extraLabelProblems } from "./metadata";
import { about } from "./report";

export function monitoringRules({ monitoring }: ClusterDnsProps, cluster: Cluster | undefined): Problem[] {
  if (!monitoring) return [];
  const { programs, hasRules, hasDashboard } = cluster?.components.monitoring ?? {};
  const { labels, dashboardLabels } = monitoring;
  return [
    ...about(["monitoring"]).when(
      programs?.length === 0 && !hasRules && !hasDashboard,
      "renders nothing: what it says is turned off, or about programs that the cluster does not have; leave it out",
    ),
    ...extraLabelProblems(["monitoring", "labels"], labels),
    ...extraLabelProblems(["monitoring", "dashboardLabels"], dashboardLabels),
  ];
}
