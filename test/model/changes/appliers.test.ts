import { expect, it } from "vitest";
import { appliersOf } from "../../../src/model/changes/in-force-in";
import { identity, type KubernetesObject } from "../../../src/model/kubernetes/object";

const argoCd = { annotations: { "argocd.argoproj.io/tracking-id": "prod:apps/DaemonSet:kube-system/node-local-dns" } };
const flux = (namespace: string) => {
  const of = { name: "cluster-dns-cache", namespace };
  return {
    labels: Object.fromEntries(Object.entries(of).map(([key, value]) => [`kustomize.toolkit.fluxcd.io/${key}`, value])),
  };
};
const object = (apiVersion: string, kind: string, name: string, namespace: string): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
});
const marked = (marks: Partial<KubernetesObject["metadata"]>): KubernetesObject => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "node-local-dns", namespace: "kube-system", ...marks },
});
const application = object("argoproj.io/v1alpha1", "Application", "prod", "argocd");
const kustomization = object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "cluster-dns", "f2");
const moved = [marked(flux("f1")), marked(flux("f2"))];
const both = marked({ ...argoCd, ...flux("f1") });

it.each<[what: string, objects: KubernetesObject[], after: KubernetesObject[], appliers: string[]]>([
  ["is the only one marked, now left", [marked(flux("f1"))], [application], ["Kustomization f1/cluster-dns-cache"]],
  ["is Argo CD if it goes on", [both], [application], ["Application prod"]],
  ["is Flux if it goes on", [both], [kustomization], ["Kustomization f1/cluster-dns-cache"]],
  ["is Flux where it is now, if it has moved", moved, [kustomization], ["Kustomization f2/cluster-dns-cache"]],
  ["is unknown without a controller: marks may be of one that was left", [both], [], []],
  ["is nobody without marks", [marked({})], [application], []],
])("who applied what is in the cluster, by marks that outlive them: %s", (_, objects, after, appliers) =>
  expect(appliersOf(objects, after).map(identity)).toEqual(appliers),
);
