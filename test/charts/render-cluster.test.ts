import { describe, expect, it } from "vitest";
import { renderCluster } from "../../src/charts/render-cluster";
import { clusterOf } from "../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import { modeTable, propsOf } from "../model/query-path/mode-table";
import { violations } from "../properties/invariants";

const iptables: ClusterDnsProps = {
  clusterDNS: ["10.96.0.10"],
  kubeProxyMode: "iptables",
  agentImage: "registry.example/agent:1",
};

describe("what kubelets must be told", () => {
  // Named for `--config-dir` of the kubelet and for `--patches` of kubeadm.
  it("is the same configuration in two files", () => {
    const { kubelet } = renderCluster(clusterOf({ ...iptables, kubeProxyMode: "ipvs", clusterDomain: "k8s.example" }));
    expect(kubelet.map(({ fileName }) => fileName)).toEqual([
      "50-cluster-dns.conf",
      "kubeletconfiguration+strategic.yaml",
    ]);
    expect(kubelet[0]?.object).toEqual({
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      clusterDNS: ["169.254.20.10"],
      clusterDomain: "k8s.example",
    });
    expect(kubelet[1]?.object).toEqual(kubelet[0]?.object);
  });

  it("is not among what is applied", () => {
    const kinds = renderCluster(clusterOf(iptables)).components.flatMap(({ objects }) =>
      objects.map(({ kind }) => kind),
    );
    expect(kinds).not.toContain("KubeletConfiguration");
  });
});

// Bind addresses, forward target, upstream Service, network and kubelet, read from the objects alone.
it.each(modeTable)("the objects of $kubeProxyMode, cni $cni, $interception, $clusterDNS agree", (row) => {
  const extra = { labels: { "example.com/team": "dns" }, annotations: { "example.com/note": "any\ntext" } };
  const cluster = clusterOf({ ...propsOf(row), ...extra });
  expect(violations(cluster, renderCluster(cluster))).toEqual([]);
});

it.each(modeTable)("kustomize applies $kubeProxyMode, cni $cni, $interception as Argo CD's waves do", (row) => {
  const admission = { allowedUsers: ["admin"], enforcement: "webhook", placementGuard: true } as const;
  const { components } = renderCluster(
    clusterOf({
      ...propsOf(row),
      authoritativeDNS: { autoscaler: {} },
      admission,
      nodeResolver: { services: ["a.b"] },
    }),
  );
  const waves = components.map(({ objects }) =>
    objects.map(({ metadata }) => Number(metadata.annotations?.["argocd.argoproj.io/sync-wave"])),
  );
  const increasing = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);
  for (const ofComponent of waves) expect(ofComponent).toEqual(increasing(ofComponent));
  // Access and configuration have waves of their own; what runs is ordered among components, too.
  const last = waves.map((ofComponent) => Math.max(...ofComponent));
  expect(last.slice(1)).toEqual(increasing(last.slice(1)));
});
