import { renderCluster } from "../../src/charts/render-cluster";
import { clusterOf } from "../../src/model/cluster/cluster";
import type { Panel } from "../../src/model/monitoring/dashboard";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";

/** The panels of the dashboard that is rendered for a cluster. */
export function panelsOf(props: ClusterDnsProps): Panel[] {
  const { panels } = JSON.parse(dashboardJson(props)) as { panels: readonly (GrafanaPanel | { type: "row" })[] };
  return panels.flatMap((panel) =>
    panel.type === "row"
      ? []
      : {
          title: panel.title,
          unit: panel.fieldConfig.defaults.unit,
          queries: panel.targets.map(({ expr, legendFormat }) => ({ expr, legend: legendFormat })),
        },
  );
}

interface GrafanaPanel {
  readonly type: "timeseries";
  readonly title: string;
  readonly fieldConfig: { readonly defaults: { readonly unit: Panel["unit"] } };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

function dashboardJson(props: ClusterDnsProps): string {
  for (const { objects } of renderCluster(clusterOf(props)).components)
    for (const { data } of objects as readonly { data?: Readonly<Record<string, string>> }[])
      if (data?.["cluster-dns.json"] !== undefined) return data["cluster-dns.json"];
  throw new Error("there is no dashboard");
}
