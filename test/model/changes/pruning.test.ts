import { describe, expect, it } from "vitest";
import { renderCluster } from "../../../src/charts/render-cluster";
import { isAuthoritative, whyItStays } from "../../../src/model/changes/pruning";
import { clusterOf } from "../../../src/model/cluster/cluster";
import { keep } from "../../../src/model/gitops/annotations";
import { identity, type KubernetesObject } from "../../../src/model/kubernetes/object";

const object = (apiVersion: string, kind: string, name: string): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: "kube-system" },
});
const application = object("argoproj.io/v1alpha1", "Application", "cluster-dns-prod");
const flux = object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "cluster-dns");
const moved = { ...flux, metadata: { ...flux.metadata, namespace: "gitops" } };
const [coreDns, account, cache] = [
  object("apps/v1", "Deployment", "coredns"),
  object("v1", "ServiceAccount", "coredns"),
  object("apps/v1", "DaemonSet", "node-local-dns"),
];
const kept = { ...cache, metadata: { ...cache.metadata, annotations: keep } };

describe("what is no longer rendered", () => {
  it.each<
    [
      what: string,
      leaves: KubernetesObject,
      before: KubernetesObject[],
      after: KubernetesObject[],
      why: RegExp | undefined,
    ]
  >([
    ["stays if it is kept", kept, [application], [application], /^kept from pruning/],
    ["is pruned by Argo CD", cache, [application], [application], undefined],
    ["is pruned by Argo CD, which is deleted after the commit", cache, [application], [account], undefined],
    ["is pruned by Flux", cache, [flux], [flux], undefined],
    ["stays once Flux is left", cache, [flux], [account], /^as nothing prunes it/],
    ["stays once Argo CD has taken Flux's place", cache, [flux], [application], /^as nothing prunes it/],
    ["stays with the whole CoreDNS, which Flux leaves", coreDns, [flux], [flux], /^as Flux leaves/],
    ["is pruned by Flux if it is a part of CoreDNS", coreDns, [flux], [flux, account], undefined],
    ["stays with Flux if the whole folder goes", cache, [flux], [], /^as Flux no longer finds its folder/],
    ["stays with Argo CD if the whole folder goes", cache, [application], [], /^as Argo CD no longer finds/],
    ["stays while Flux moves, with no Kustomization that knows it", cache, [flux], [moved], /new ones do not know it/],
    ["is the controller's own", flux, [flux], [account], undefined],
    ["stays with a controller that has not applied it", cache, [], [flux, account], /^as Flux does not know it/],
    ["is deleted by somebody where no controller is known", cache, [], [], undefined],
  ])("%s", (_, leaves, before, after, why) => {
    const found = whyItStays(leaves, [leaves, ...before], after)?.why;
    expect(found).toEqual(why && expect.stringMatching(why));
  });

  it("is authoritative DNS by its name", () => {
    const { components } = renderCluster(
      clusterOf({
        clusterDNS: ["10.96.0.10"],
        kubeProxyMode: "none",
        cni: "cilium",
        agentImage: "agent:1",
        authoritativeDNS: { autoscaler: { min: 2 } },
        networkPolicies: true,
        monitoring: { monitors: "PodMonitor" },
        smokeTest: true,
      }),
    );
    // Corefiles are kept from pruning.
    const wrong = components.flatMap(({ name, objects }) =>
      (objects as readonly KubernetesObject[])
        .filter((each) => each.kind !== "ConfigMap" && isAuthoritative(each) !== (name === "authoritative-dns"))
        .map(identity),
    );
    expect(wrong).toEqual([]);
  });
});
