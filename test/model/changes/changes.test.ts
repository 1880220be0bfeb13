import { describe, expect, it } from "vitest";
import { changes } from "../../../src/model/changes/changes";
import { keep } from "../../../src/model/gitops/annotations";
import type { KubernetesObject } from "../../../src/model/kubernetes/object";

function object(
  kind: string,
  name: string,
  fields: object = {},
  annotations?: KubernetesObject["metadata"]["annotations"],
) {
  const metadata = { name, namespace: "kube-system", ...(annotations && { annotations }) };
  return { apiVersion: "v1", kind, metadata, ...fields };
}
const deployment = (image: string, replicas?: number, selector = "dns") =>
  object("Deployment", "coredns", { spec: { replicas, selector, template: { spec: { image } } } });
const pods = (spec: object) => object("Deployment", "coredns", { spec: { replicas: 2, template: { spec } } });
const image = (name: string, reference: string) => ({ name, image: reference });
const spread = (topologyKey: string, whenUnsatisfiable: string) => ({ topologyKey, whenUnsatisfiable, maxSkew: 1 });
const config = (hash: string, text: string) =>
  object("ConfigMap", `coredns-${hash}`, { data: { Corefile: text } }, keep);

const webhook = (annotations?: KubernetesObject["metadata"]["annotations"]) =>
  object("MutatingWebhookConfiguration", "cluster-dns-webhook", {}, annotations);

/** The changes in short: what, which object, what follows. */
function told(before: KubernetesObject[], after: KubernetesObject[]): string[] {
  return changes(before, after).map(({ what, object: name, effects, needsHand }) =>
    [what, name, ...effects, ...(needsHand ? ["BY HAND"] : [])].join(" | "),
  );
}

describe("changes", () => {
  it("are none where nothing differs", () => {
    expect(changes([deployment("a", 2)], [deployment("a", 2)])).toEqual([]);
  });

  it.each<[what: string, before: KubernetesObject[], after: KubernetesObject[], expected: string[]]>([
    ["a first workload", [], [deployment("a")], ["new | Deployment kube-system/coredns | starts pods"]],
    [
      "another image",
      [deployment("a", 2)],
      [deployment("b", 2)],
      ["changed | Deployment kube-system/coredns | replaces its pods, 2 of them"],
    ],
    [
      "images",
      [pods({ containers: [image("dns", "a:1"), image("log", "registry.k8s.io/log:1")] })],
      [pods({ containers: [image("dns", "a:2"), image("log", "mirror.example:5000/k8s/log:1")], initContainers: [] })],
      [
        "changed | Deployment kube-system/coredns | replaces its pods, 2 of them | dns: runs a:2 instead of a:1 | log: pulls log:1 from mirror.example:5000/k8s instead of registry.k8s.io",
      ],
    ],
    [
      "another spread over nodes",
      [pods({ topologySpreadConstraints: [spread("kubernetes.io/hostname", "ScheduleAnyway")] })],
      [
        pods({
          topologySpreadConstraints: [
            spread("kubernetes.io/hostname", "DoNotSchedule"),
            spread("zone", "ScheduleAnyway"),
          ],
        }),
      ],
      [
        "changed | Deployment kube-system/coredns | replaces its pods, 2 of them | spreads its pods over kubernetes.io/hostname (always, at most 1 apart) and over zone (if it can, at most 1 apart)",
      ],
    ],
    [
      "no spread any more",
      [pods({ topologySpreadConstraints: [spread("zone", "ScheduleAnyway")] })],
      [pods({})],
      ["changed | Deployment kube-system/coredns | replaces its pods, 2 of them | no longer spreads its pods"],
    ],
    ["more replicas", [deployment("a", 2)], [deployment("a", 3)], ["changed | Deployment kube-system/coredns"]],
    [
      "a workload that an autoscaler has",
      [deployment("a")],
      [deployment("b")],
      ["changed | Deployment kube-system/coredns | replaces its pods, as many as there are"],
    ],
    [
      "a workload that is given to an autoscaler",
      [deployment("a", 2)],
      [deployment("a")],
      [
        "changed | Deployment kube-system/coredns | falls to 1 pod unless, before the commit, another field manager owns spec.replicas (docs/gitops.md of cdk8s-cluster-dns, What needs a hand) | BY HAND",
      ],
    ],
    [
      "a workload that is given to an autoscaler, with a controller that keeps the number",
      [deployment("a", 2)],
      [deployment("a"), object("Kustomization", "dns", { spec: { ignore: [] } })],
      [
        "changed | Deployment kube-system/coredns | keeps its pods until the autoscaler has counted",
        "new | Kustomization kube-system/dns",
      ],
    ],
    [
      "another template of a DaemonSet",
      [object("DaemonSet", "cache", { spec: { template: 1 } })],
      [object("DaemonSet", "cache", { spec: { template: 2 } })],
      ["changed | DaemonSet kube-system/cache | replaces its pods, one on each of its nodes"],
    ],
    [
      "a DaemonSet in a cluster",
      [object("DaemonSet", "cache", { spec: { template: 1 }, status: { desiredNumberScheduled: 3, numberReady: 2 } })],
      [object("DaemonSet", "cache", { spec: { template: 2 }, status: { desiredNumberScheduled: 3, numberReady: 3 } })],
      ["changed | DaemonSet kube-system/cache | replaces its pods, one on each of its 3 nodes"],
    ],
    [
      "another selector",
      [deployment("a", 2, "x")],
      [deployment("a", 2, "y")],
      [
        "changed | Deployment kube-system/coredns | spec.selector cannot be changed: after the commit, delete the object; applying it makes it anew | BY HAND",
      ],
    ],
    [
      "another address of a Service",
      [object("Service", "kube-dns", { spec: { clusterIPs: ["10.96.0.10", "fd00::a"], ports: 1 } })],
      [object("Service", "kube-dns", { spec: { clusterIPs: ["10.96.0.11", "fd00::b"], ports: 2 } })],
      [
        "changed | Service kube-system/kube-dns | spec.clusterIPs[0], spec.clusterIPs[1] cannot be changed: after the commit, delete the object; applying it makes it anew | BY HAND",
      ],
    ],
    [
      "a second address of a Service",
      [object("Service", "kube-dns", { spec: { clusterIPs: ["10.96.0.10"] } })],
      [object("Service", "kube-dns", { spec: { clusterIPs: ["10.96.0.10", "fd00::a"] } })],
      ["changed | Service kube-system/kube-dns"],
    ],
    [
      "another role of a binding",
      [object("RoleBinding", "b", { roleRef: { name: "x" } })],
      [object("RoleBinding", "b", { roleRef: { name: "y" } })],
      [
        "changed | RoleBinding kube-system/b | roleRef.name cannot be changed: after the commit, delete the object; applying it makes it anew | BY HAND",
      ],
    ],
    [
      "a webhook's certificate that cert-manager issues",
      [webhook()],
      [webhook({ "cert-manager.io/inject-ca-from": "kube-system/cluster-dns-webhook" })],
      [
        "changed | MutatingWebhookConfiguration kube-system/cluster-dns-webhook | pods may start without their tenant's DNS for up to three minutes with cert-manager before 1.19 (docs/webhook.md of cdk8s-cluster-dns, Certificates)",
      ],
    ],
    [
      "a webhook's own certificate, in its place",
      [webhook({ "cert-manager.io/inject-ca-from": "kube-system/cluster-dns-webhook" })],
      [webhook()],
      [
        "changed | MutatingWebhookConfiguration kube-system/cluster-dns-webhook | before the commit, delete a certificate from earlier, or pods may start without their tenant's DNS: kubectl delete secret cluster-dns-webhook --namespace kube-system --ignore-not-found (docs/webhook.md of cdk8s-cluster-dns, Certificates) | BY HAND",
      ],
    ],
    [
      "policies in the webhook's place",
      [webhook(), object("ValidatingWebhookConfiguration", "w")],
      [object("MutatingAdmissionPolicy", "p"), object("ValidatingAdmissionPolicy", "p")],
      [
        "new | MutatingAdmissionPolicy kube-system/p | admission moves from the webhook to policies: pods that are created meanwhile may lack their tenant's DNS; npx cdk8s-cluster-dns doctor names them (docs/admission-policies.md of cdk8s-cluster-dns, From webhook to policies, and back)",
        "new | ValidatingAdmissionPolicy kube-system/p",
        "deleted | MutatingWebhookConfiguration kube-system/cluster-dns-webhook",
        "deleted | ValidatingWebhookConfiguration kube-system/w",
      ],
    ],
    [
      "the webhook for what no policy decided",
      [object("ValidatingAdmissionPolicy", "p")],
      [webhook()],
      [
        "new | MutatingWebhookConfiguration kube-system/cluster-dns-webhook",
        "deleted | ValidatingAdmissionPolicy kube-system/p",
      ],
    ],
    ["a workload that goes", [deployment("a")], [], ["deleted | Deployment kube-system/coredns | ends its pods"]],
    [
      "what is kept from pruning",
      [object("Service", "kube-dns", {}, keep)],
      [],
      [
        "deleted | Service kube-system/kube-dns | stays in the cluster, kept from pruning; delete it once nothing needs it",
      ],
    ],
  ])("%s", (_, before, after, expected) => {
    expect(told(before, after)).toEqual(expected);
  });

  it("of a configuration named by its hash are differences from the one before", () => {
    expect(changes([config("0123456789", "ttl 30")], [config("abcdef0123", "ttl 7")])).toEqual([
      {
        what: "new",
        object: "ConfigMap kube-system/coredns-abcdef0123",
        differences: [{ path: ["data", "Corefile"], before: "ttl 30", after: "ttl 7" }],
        effects: ["replaces coredns-0123456789"],
        needsHand: false,
      },
    ]);
  });
});

describe("what no kustomization applies is marked, with the command, and when", () => {
  const projectOf = (repository: string, server: string, namespaces: string[]) => ({
    ...object("AppProject", "dns-prod", {
      spec: { sourceRepos: [repository], destinations: namespaces.map((namespace) => ({ server, namespace })) },
    }),
    apiVersion: "argoproj.io/v1alpha1",
  });
  const project = (...namespaces: string[]) => projectOf("x.git", "https://api.example/?a&b", namespaces);
  const application = (spec: object) => ({
    ...object("Application", "dns-prod", { spec }),
    apiVersion: "argoproj.io/v1alpha1",
  });
  const ofProject = "kubectl apply --server-side -f 'my out/prod/gitops/argocd/appproject-dns-prod.yaml'";
  const ofApplication = "kubectl apply --server-side -f 'my out/prod/gitops/argocd/application-dns-prod.yaml'";
  const ignoring = application({ ignoreDifferences: [{ kind: "Deployment" }] });

  it.each<[what: string, before: KubernetesObject[], after: KubernetesObject[], effect: string]>([
    ["a first application", [], [application({})], `apply it after the commit: ${ofApplication}`],
    ["a namespace that comes", [project("a")], [project("a", "b")], `apply it before the commit: ${ofProject}`],
    [
      "a namespace that leaves",
      [project("a", "b")],
      [project("a")],
      `apply it once Argo CD has applied the commit, so that it still deletes what is in b: ${ofProject}`,
    ],
    [
      "a namespace in place of another",
      [project("a", "b")],
      [project("a", "c")],
      `before the commit: argocd proj add-destination dns-prod 'https://api.example/?a&b' c; then, once Argo CD has applied the commit, so that it still deletes what is in b: ${ofProject}`,
    ],
    [
      "another repository, while a namespace leaves",
      [projectOf("x.git", "https://1.2.3.4", ["a", "b"])],
      [projectOf("y.git", "https://1.2.3.4", ["a"])],
      `before the commit: argocd proj add-source dns-prod y.git; then, once Argo CD has applied the commit, so that it still deletes what is in b: ${ofProject}`,
    ],
    [
      "another server, while a namespace leaves, which may be the same cluster's",
      [projectOf("x.git", "https://1.2.3.4", ["a", "b"])],
      [projectOf("x.git", "https://dns", ["a"])],
      `before the commit: argocd proj add-destination dns-prod https://dns a; argocd proj add-destination dns-prod https://dns b; then, once Argo CD has applied the commit, so that it still deletes what is in b: ${ofProject}`,
    ],
    [
      "another repository and server alone",
      [projectOf("x.git", "https://1.2.3.4", ["a"])],
      [projectOf("y.git", "https://dns", ["a"])],
      `apply it before the commit: ${ofProject}`,
    ],
    [
      "an autoscaler",
      [application({})],
      [ignoring],
      `apply it before the commit, or Argo CD undoes what the autoscaler does: ${ofApplication}`,
    ],
    [
      "no autoscaler any more",
      [ignoring],
      [application({})],
      `apply it after the commit; until then, Argo CD keeps the number of pods that is there: ${ofApplication}`,
    ],
    [
      "anything else",
      [application({ source: 1 })],
      [application({ source: 2 })],
      `apply it, before or after the commit: ${ofApplication}`,
    ],
    [
      "the end",
      [application({}), object("Service", "kube-dns")],
      [object("Service", "kube-dns")],
      "delete it once Argo CD has applied the commit: kubectl delete application dns-prod --namespace kube-system",
    ],
    [
      "the end of all",
      [application({})],
      [],
      "delete it after the commit: kubectl delete application dns-prod --namespace kube-system",
    ],
  ])("%s", (_, before, after, effect) => {
    expect(changes(before, after, "my out/prod")).toMatchObject([{ effects: [effect], needsHand: true }]);
  });

  const flux = (kind: "GitRepository" | "Kustomization", name: string) => ({
    ...object(kind, name),
    apiVersion: `${kind === "Kustomization" ? "kustomize" : "source"}.toolkit.fluxcd.io/v1`,
  });
  const source = flux("GitRepository", "fleet");
  const [first, cache] = ["cluster-dns", "cluster-dns-node-local-dns"].map((name) => flux("Kustomization", name)) as [
    KubernetesObject,
    KubernetesObject,
  ];

  it("by Flux's first Kustomization, from where it has its files; it applies the others", () => {
    const apply = "kubectl apply --server-side -f 'my out/prod/gitops/flux";
    expect(changes([], [source, first, cache], "my out/prod")).toMatchObject([
      { effects: [], needsHand: false },
      {
        effects: [`apply it after the commit, before Kustomization cluster-dns: ${apply}/gitrepository-fleet.yaml'`],
        needsHand: true,
      },
      { effects: [`apply it after the commit: ${apply}/kustomization-cluster-dns.yaml'`], needsHand: true },
    ]);
    expect(changes([first], [source, first])).toMatchObject([{ effects: [], needsHand: false }]);
  });

  it("by Flux, which prunes nothing once the folder of its objects is gone; but a component that leaves", () => {
    const cacheIt = "kustomization cluster-dns-node-local-dns --namespace kube-system";
    const patch = `kubectl patch ${cacheIt} --type=merge --patch='{"spec":{"deletionPolicy":"Orphan"}}'`;
    expect(changes([cache, first], [application({})])).toMatchObject([
      {
        effects: [
          expect.stringContaining(
            "before or after the commit, which leaves the others: kubectl delete kustomization cluster-dns --namespace kube-system",
          ),
        ],
        needsHand: true,
      },
      {
        effects: [
          expect.stringContaining(
            `once that is deleted, have this one leave what it applied, and delete it: ${patch} && kubectl delete ${cacheIt}`,
          ),
        ],
        needsHand: true,
      },
      {},
    ]);
    expect(changes([cache, first], [first])).toMatchObject([
      { effects: ["Flux deletes what it applied"], needsHand: false },
    ]);
    expect(changes([{ ...cache, spec: { deletionPolicy: "Orphan" } }, first], [first])).toMatchObject([
      { effects: ["Flux leaves what it applied"], needsHand: false },
    ]);
  });

  const reads = (path: string, name: string, url?: string) => [
    ...(url === undefined ? [] : [{ ...flux("GitRepository", name), spec: { url, ref: { branch: "main" } } }]),
    { ...first, spec: { path, sourceRef: { kind: "GitRepository", name } } },
  ];
  const apply = "kubectl apply --server-side --force-conflicts -f dist/c/gitops/flux";
  const ofFirst = (place: string) =>
    `apply it after the commit; until then Flux reads ${place}, where it may not find the commit: ${apply}/kustomization-cluster-dns.yaml`;
  const ofSource = (name: string, place: string, when = "") =>
    `apply it after the commit${when}; until then Flux reads ${place}, where it may not find the commit: ${apply}/gitrepository-${name}.yaml`;

  it.each<[what: string, before: KubernetesObject[], after: KubernetesObject[], effects: string[]]>([
    ["another folder", reads("./a", "fleet", "x"), reads("./b", "fleet", "x"), [ofFirst("./a of x, main")]],
    [
      "another repository",
      reads("./a", "fleet", "x"),
      reads("./a", "fleet", "y"),
      [ofSource("fleet", "./a of x, main")],
    ],
    [
      "a source of its own",
      reads("./a", "flux-system"),
      reads("./a", "fleet", "x"),
      [
        ofSource("fleet", "./a of GitRepository flux-system", ", before Kustomization cluster-dns"),
        ofFirst("./a of GitRepository flux-system"),
      ],
    ],
    ["another name of its source, where it finds the commit", reads("./a", "b", "x"), reads("./a", "c", "x"), []],
  ])("by Flux, which reads where the commit is not, %s", (_, before, after, effects) => {
    const found = changes(before, after, "dist/c").filter(({ what }) => what !== "deleted");
    expect(found.flatMap((change) => change.effects)).toEqual(effects);
  });

  it("by Flux's Kustomizations that move, whose end would delete what they applied", () => {
    const moved = [first, cache].map((each) => ({ ...each, metadata: { ...each.metadata, namespace: "gitops" } }));
    expect(changes([cache, first], moved)).toMatchObject([
      { effects: [expect.stringMatching(/^delete it before the commit, which leaves the others: /)], when: "before" },
      { effects: [expect.stringMatching(/^before the commit, once .* have this one leave /)], when: "before" },
      { what: "new" },
      { what: "new", when: "after" },
    ]);
  });

  it.each<[what: string, leaves: KubernetesObject, command: string]>([
    ["in a namespace", deployment("a"), "kubectl delete deployment coredns --namespace kube-system"],
    [
      "of the cluster",
      { apiVersion: "v1", kind: "ClusterRole", metadata: { name: "system:coredns" } },
      "kubectl delete clusterrole system:coredns",
    ],
  ])("by a new controller that does not know what leaves, %s", (_, leaves, command) => {
    const effect = `stays in the cluster, as Argo CD does not know it; delete it after the commit, once nothing needs it: ${command}`;
    expect(changes([leaves], [application({})])).toMatchObject([
      { what: "deleted", effects: [effect], needsHand: true, when: "after" },
      { what: "new" },
    ]);
  });

  it.each<[what: string, before: KubernetesObject[], after: KubernetesObject[], order: string[]]>([
    [
      "from Flux to Argo CD",
      [cache, first, deployment("a", 2)],
      [deployment("b", 2), application({})],
      ["before cluster-dns", "before cluster-dns-node-local-dns", "coredns", "after dns-prod"],
    ],
    [
      "from Argo CD to Flux",
      [application({}), deployment("a", 2)],
      [deployment("b", 2), source, first],
      ["coredns", "after dns-prod", "after fleet", "after cluster-dns"],
    ],
    [
      "around the commit",
      [object("RoleBinding", "b", { roleRef: 1 }), deployment("a", 2), project("a")],
      [object("RoleBinding", "b", { roleRef: 2 }), deployment("b", 2), project("a", "b")],
      ["before dns-prod", "coredns", "after b"],
    ],
  ])("in the order in which it is done, %s", (_, before, after, order) => {
    const found = changes(before, after).map(({ when = "", object: name }) =>
      `${when} ${name.replace(/.*\//, "")}`.trim(),
    );
    expect(found).toEqual(order);
  });
});
