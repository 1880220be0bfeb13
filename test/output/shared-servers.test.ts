import { expect, it } from "vitest";
import type { NamedCluster } from "../../src/config/read-clusters";
import { clusterOf } from "../../src/model/cluster/cluster";
import { sharedServers } from "../../src/output/shared-servers";

function named(name: string, server?: string): NamedCluster {
  const argocd = { repoURL: "https://git.example/fleet", ...(server !== undefined && { server }) };
  const cluster = clusterOf({ clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", gitops: { argocd } });
  return { name, files: [`${name}.yaml`], cluster };
}

it("two Applications for one API server are refused", () => {
  const found = sharedServers([named("a", "https://a"), named("b", "https://b"), named("c", "https://a")]);
  expect(found).toEqual({
    problems: [{ file: "c.yaml", message: "gitops.argocd.server: https://a is that of a.yaml, too; keep one" }],
    notes: [],
  });
});

it("several for Argo CD's own cluster are noted: each cluster may have an Argo CD of its own", () => {
  expect(sharedServers([named("a"), named("b")]).notes).toEqual([
    {
      file: "a.yaml",
      message: expect.stringMatching(/^the Applications of 2 clusters are for https:.*server in each/),
    },
  ]);
  expect(sharedServers([named("a"), named("b", "https://b")])).toEqual({ problems: [], notes: [] });
});
