import { describe, expect, it } from "vitest";
import { renderCluster } from "../../../src/charts/render-cluster";
import { isAuthoritative, leaveFlux, type Stay, whyItStays } from "../../../src/model/changes/pruning";
import { clusterOf } from "../../../src/model/cluster/cluster";
import { keep } from "../../../src/model/gitops/annotations";
import { identity, type KubernetesObject } from "../../../src/model/kubernetes/object";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { cached } from "../../cached";
import { applied } from "./applied";

const object = (apiVersion: string, kind: string, name: string): KubernetesObject => {
  return { apiVersion, kind, metadata: { name, namespace: "kube-system" } };
};
const application = object("argoproj.io/v1alpha1", "Application", "cluster-dns-prod");
const flux = object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "cluster-dns");
const moved = { ...flux, metadata: { ...flux.metadata, namespace: "gitops" } };
const coreDns = object("apps/v1", "Deployment", "coredns");
const account = object("v1", "ServiceAccount", "coredns");
const cache = object("apps/v1", "DaemonSet", "node-local-dns");
const kept = { ...cache, metadata: { ...cache.metadata, annotations: keep } };

describe("what is no longer rendered", () => {
  type Objects = KubernetesObject[];
  it.each<[what: string, leaves: KubernetesObject, before: Objects, after: Objects, why: Stay | undefined]>([
    ["stays if it is kept", kept, [application], [application], "kept"],
    ["is pruned by Argo CD", cache, [application], [application], undefined],
    ["is pruned by Argo CD, which is deleted after the commit", cache, [application], [account], undefined],
    ["is pruned by Flux", cache, [flux], [flux], undefined],
    ["stays once Flux is left", cache, [flux], [account], "flux-left"],
    ["stays once Argo CD has taken Flux's place", cache, [flux], [application], "flux-left"],
    ["stays with the whole CoreDNS, which Flux leaves", coreDns, [flux], [flux], "left-by-flux"],
    ["is pruned by Flux if it is a part of CoreDNS", coreDns, [flux], [flux, account], undefined],
    ["stays with Flux if the whole folder goes", cache, [flux], [], "folder-gone"],
    ["stays with Argo CD if the whole folder goes", cache, [application], [], "folder-gone"],
    ["stays while Flux moves, with no Kustomization that knows it", cache, [flux], [moved], "flux-moved"],
    ["is the controller's own", flux, [flux], [account], undefined],
    ["stays with a controller that has not applied it", cache, [], [flux, account], "unknown-to-controller"],
    ["is deleted by somebody where no controller is known", cache, [], [], undefined],
  ])("%s", (_, leaves, before, after, why) => {
    expect(whyItStays(leaves, applied([leaves, ...before]), applied(after))).toBe(why);
  });

  it("is authoritative DNS by its name", () => {
    const cilium = { ...cached, kubeProxyMode: "none", cni: "cilium", networkPolicies: true, smokeTest: true } as const;
    const more = { authoritativeDNS: { autoscaler: { min: 2 } }, monitoring: { monitors: "PodMonitor" } } as const;
    const { components } = renderCluster(clusterOf({ ...cilium, ...more }));
    // Corefiles are kept from pruning.
    const wrong = components.flatMap(({ name, objects }) =>
      (objects as readonly KubernetesObject[])
        .filter((each) => each.kind !== "ConfigMap" && isAuthoritative(each) !== (name === "authoritative-dns"))
        .map(identity),
    );
    expect(wrong).toEqual([]);
  });
});

describe("leaving Flux", () => {
  const nodeResolver = { services: ["registry.infra.svc"] };
  const admission = { allowedUsers: ["admin"] };
  const switches = { networkPolicies: true, smokeTest: true, kubernetesVersion: "1.36" };
  const more: ClusterDnsProps = { ...cached, ...switches, nodeResolver, admission };
  const rendered = (props: ClusterDnsProps) =>
    renderCluster(clusterOf(props)).components.flatMap(({ objects }) => objects as readonly KubernetesObject[]);

  it.each<[what: string, before: ClusterDnsProps, after: KubernetesObject[], staying: number | undefined]>([
    ["with components", more, rendered(cached), 11],
    ["with a changed configuration", more, rendered({ ...more, nodeResolver: { services: ["a.b.svc"] } }), undefined],
    ["with another kind of CoreDNS", cached, rendered({ ...cached, authoritativeDNS: { kind: "DaemonSet" } }), 2],
    ["alone", more, rendered(more), undefined],
    ["not", more, [...rendered(cached), flux], undefined],
    ["with the whole cluster", more, [], undefined],
  ])("%s", (_, before, after, staying) => {
    const steps = leaveFlux(applied([...rendered(before), flux]), applied(after));
    expect(steps.map(({ id }) => id)).toEqual(staying === undefined ? [] : ["leave-flux"]);
    expect(steps[0]?.text ?? "").toContain(staying === undefined ? "" : `(${staying} of the objects below)`);
  });

  it("is not what happens where nothing was Flux's", () => {
    expect(leaveFlux(applied(rendered(more)), applied(rendered(cached)))).toEqual([]);
  });
});
