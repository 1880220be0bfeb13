import { expect, it } from "vitest";
import { renderCluster } from "../../src/charts/render-cluster";
import { clusterOf } from "../../src/model/cluster/cluster";
import { modeTable, propsOf } from "../model/query-path/mode-table";
import { violations } from "../properties/invariants";

// Bind addresses, forward target, upstream Service, network and kubelet, read from the objects alone.
it.each(modeTable)("the objects of $kubeProxyMode, cni $cni, $interception, $clusterDNS agree", (row) => {
  const extra = { labels: { "example.com/team": "dns" }, annotations: { "example.com/note": "any\ntext" } };
  const cluster = clusterOf({ ...propsOf(row), ...extra });
  expect(violations(cluster, renderCluster(cluster))).toEqual([]);
});

it.each(modeTable)("kustomize applies $kubeProxyMode, cni $cni, $interception as Argo CD's waves do", (row) => {
  const admission = { allowedUsers: ["admin"], enforcement: "webhook", placementGuard: true } as const;
  const more = { authoritativeDNS: { autoscaler: {} }, admission, nodeResolver: { services: ["a.b"] } };
  const { components } = renderCluster(clusterOf({ ...propsOf(row), ...more }));
  const waves = components.map(({ objects }) =>
    objects.map(({ metadata }) => Number(metadata.annotations?.["argocd.argoproj.io/sync-wave"])),
  );
  const increasing = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);
  for (const ofComponent of waves) expect(ofComponent).toEqual(increasing(ofComponent));
  // Access and configuration have waves of their own; what runs is ordered among components, too.
  const last = waves.map((ofComponent) => Math.max(...ofComponent));
  expect(last.slice(1)).toEqual(increasing(last.slice(1)));
});
