import type { Problem } from "../syntax/problem";
import { extraLabelProblems } from "./metadata";
import { about, type Given } from "./report";

export function monitoringRules({ props: { monitoring }, cluster }: Given): Problem[] {
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
