import { expect, it } from "vitest";
import { appliersOf } from "../../../src/model/changes/in-force-in";
import { identity, type KubernetesObject } from "../../../src/model/kubernetes/object";

const argoCd = { annotations: { "argocd.argoproj.io/tracking-id": "prod:apps/DaemonSet:kube-system/node-local-dns" } };
const flux = (namespace: string) => ({
  labels: {
    "kustomize.toolkit.fluxcd.io/name": "cluster-dns-cache",
    "kustomize.toolkit.fluxcd.io/namespace": namespace,
  },
});
const marked = (marks: Partial<KubernetesObject["metadata"]>): KubernetesObject => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "node-local-dns", namespace: "kube-system", ...marks },
});
const application: KubernetesObject = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "prod", namespace: "argocd" },
};
const kustomization: KubernetesObject = {
  apiVersion: "kustomize.toolkit.fluxcd.io/v1",
  kind: "Kustomization",
  metadata: { name: "cluster-dns", namespace: "f2" },
};
const both = marked({ ...argoCd, ...flux("f1") });

it.each<[what: string, objects: KubernetesObject[], after: KubernetesObject[], appliers: string[]]>([
  ["is the only one marked, now left", [marked(flux("f1"))], [application], ["Kustomization f1/cluster-dns-cache"]],
  ["is Argo CD if it goes on", [both], [application], ["Application prod"]],
  ["is Flux if it goes on", [both], [kustomization], ["Kustomization f1/cluster-dns-cache"]],
  [
    "is Flux where it is now, if it has moved",
    [marked(flux("f1")), marked(flux("f2"))],
    [kustomization],
    ["Kustomization f2/cluster-dns-cache"],
  ],
  ["is unknown without a controller: marks may be of one that was left", [both], [], []],
  ["is nobody without marks", [marked({})], [application], []],
])("who applied what is in the cluster, by marks that outlive them: %s", (_, objects, after, appliers) =>
  expect(appliersOf(objects, after).map(identity)).toEqual(appliers),
);
