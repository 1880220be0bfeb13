import { expect, it } from "vitest";
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

it("the files of a cluster leave out a component without objects", () => {
  const files = render({ dns, cache: [] });
  expect([...files.keys()].filter((path) => path.includes("cache"))).toEqual([]);
  expect(files.get("prod/kustomization.yaml")).not.toContain("cache");
});

const namesakes = [object("Service", "a", "x"), object("Service", "a", "y")];
it.each<[what: string, components: Parameters<typeof render>[0], message: string]>([
  ["one object twice, by other versions", { dns, cache: [role("v1beta1")] }, "coredns twice, in dns and in cache"],
  ["two objects that would be one file", { dns: namesakes }, "prod/dns/service-a.yaml"],
])("refused: %s", (_, components, message) => expect(() => render(components)).toThrow(message));
