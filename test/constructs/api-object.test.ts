import { Chart, Testing } from "cdk8s";
import { expect, it } from "vitest";
import { ClusterDns } from "../../src";

it("an object is in a chart once: the second apply would overwrite the first", () => {
  const chart = new Chart(Testing.app(), "chart");
  const props = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" } as const;
  new ClusterDns(chart, "a", props);
  expect(() => new ClusterDns(chart, "b", props)).toThrow(
    "chart/b/authoritative-dns adds v1 ServiceAccount kube-system/coredns, which chart/a/authoritative-dns already added; keep one of the two in a chart",
  );
  expect(() => new ClusterDns(new Chart(Testing.app(), "another"), "b", props)).not.toThrow();
});
