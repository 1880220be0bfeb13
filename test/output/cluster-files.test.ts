import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../src/model/kubernetes/object";
import { clusterFiles, type RenderedObjects } from "../../src/output/cluster-files";

function object(kind: string, name: string, namespace?: string, apiVersion = "v1"): KubernetesObject {
  return { apiVersion, kind, metadata: namespace ? { name, namespace } : { name } };
}

function render(components: { [name: string]: KubernetesObject[] }, kubelet: RenderedObjects["kubelet"] = []) {
  return clusterFiles("prod", "clusters/prod.yaml", {
    components: Object.entries(components).map(([name, objects]) => ({ name, objects })),
    remarks: new Map(),
    kubelet,
  });
}

const role = (version: string) =>
  object("ClusterRole", "system:coredns", undefined, `rbac.authorization.k8s.io/${version}`);
const dns = [object("Service", "kube-dns", "kube-system"), role("v1")];

describe("the files of a cluster", () => {
  it("leave out a component without objects", () => {
    expect([...render({ dns, cache: [] }).keys()].filter((path) => path.includes("cache"))).toEqual([]);
    expect(render({ dns, cache: [] }).get("prod/kustomization.yaml")).not.toContain("cache");
  });
});

describe("refused", () => {
  it("one object twice, whatever the components and API versions", () => {
    const twice = { dns, cache: [role("v1beta1")] };
    expect(() => render(twice)).toThrow("system:coredns twice, in dns and in cache");
  });

  it("two objects that would be one file", () => {
    expect(() => render({ dns: [object("Service", "a", "x"), object("Service", "a", "y")] })).toThrow(
      "prod/dns/service-a.yaml",
    );
  });
});
