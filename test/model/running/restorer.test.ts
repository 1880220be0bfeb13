import { expect, it } from "vitest";
import { restorerOf } from "../../../src/model/running/restorer";

it.each<[name: string, where: "labels" | "annotations", mark: string]>([
  ["EKS", "labels", "eks.amazonaws.com/component=coredns"],
  ["an addon manager (AKS, GKE)", "labels", "addonmanager.kubernetes.io/mode=Reconcile"],
  ["k3s", "labels", "objectset.rio.cattle.io/hash=b"],
  ["Deckhouse", "labels", "heritage=deckhouse"],
  ["Gardener", "labels", "resources.gardener.cloud/managed-by=gardener"],
  ["DigitalOcean", "labels", "doks.digitalocean.com/managed=true"],
  ["k0s", "labels", "k0s.k0sproject.io/stack=coredns"],
  ["kapp", "labels", "kapp.k14s.io/app=1676"],
  ["kOps", "labels", "app.kubernetes.io/managed-by=kops"],
  ["Argo CD", "annotations", "argocd.argoproj.io/tracking-id=dns:a"],
  ["Flux", "labels", "kustomize.toolkit.fluxcd.io/name=dns"],
  ["Helm", "annotations", "meta.helm.sh/release-name=dns"],
  ["somebody", "labels", "cloud.example/managed-by=addons"],
  ["somebody", "annotations", "note=Do not edit: see GitLab"],
])("%s is known by one of the %s: %s", (name, where, mark) => {
  const [key = "", value] = mark.split("=");
  expect(restorerOf(object({ [where]: { [key]: value } }))).toEqual({ name, mark });
});

it("an owner is known by others of its marks, and by the most particular", () => {
  const others: object[] = [
    { managedFields: [{ manager: "eks", fieldsV1: {} }] },
    { ownerReferences: [{ kind: "Dns", name: "main" }] },
    { labels: { heritage: "deckhouse" }, annotations: { "meta.helm.sh/release-name": "dns" } },
  ];
  expect(others.map((metadata) => restorerOf(object(metadata)))).toEqual([
    { name: "EKS", mark: "manager=eks" },
    { name: "another object", mark: "ownerReference=Dns/main" },
    { name: "Deckhouse", mark: "heritage=deckhouse" },
  ]);
});

function object(metadata: object): Parameters<typeof restorerOf>[0] {
  return { kind: "Deployment", metadata: { name: "coredns", ...metadata } } as Parameters<typeof restorerOf>[0];
}
