import { describe, expect, it } from "vitest";
import { changes, whenByHand } from "../../../src/model/changes/changes";
import { printCommand } from "../../../src/model/command";
import { keep } from "../../../src/model/gitops/annotations";
import type { KubernetesObject } from "../../../src/model/kubernetes/object";
import type { StepId } from "../../../src/model/steps/step";
import { applied } from "./applied";

type Annotations = KubernetesObject["metadata"]["annotations"];

function object(kind: string, name: string, fields: object = {}, annotations?: Annotations) {
  const metadata = { name, namespace: "kube-system", ...(annotations && { annotations }) };
  return { apiVersion: "v1", kind, metadata, ...fields };
}
const deployment = (image: string, replicas?: number, selector = "dns") =>
  object("Deployment", "coredns", { spec: { replicas, selector, template: { spec: { image } } } });
const pods = (spec: object) => object("Deployment", "coredns", { spec: { replicas: 2, template: { spec } } });
const image = (name: string, reference: string) => ({ name, image: reference });
const imaged = (dns: string, log: string, initContainers?: object[]) =>
  pods({ containers: [image("dns", dns), image("log", log)], ...(initContainers && { initContainers }) });
const running = (name: string, reference: string) => pods({ containers: [image(name, reference)] });
const spread = (topologyKey: string, whenUnsatisfiable: string) => ({ topologyKey, whenUnsatisfiable, maxSkew: 1 });
const spreads = (...all: object[]) => pods({ topologySpreadConstraints: all });
const [soft, zone] = [spread("host", "ScheduleAnyway"), spread("zone", "ScheduleAnyway")] as const;
const hard = spread("host", "DoNotSchedule");
const service = (...clusterIPs: string[]) => object("Service", "kube-dns", { spec: { clusterIPs } });
const binding = (name: string) => object("RoleBinding", "b", { roleRef: { name } });
const config = (hash: string, text: string) =>
  object("ConfigMap", `coredns-${hash}`, { data: { Corefile: text } }, keep);

const daemonSet = (template: number, nodes?: number) =>
  object("DaemonSet", "c", { spec: { template }, status: { desiredNumberScheduled: nodes, numberReady: template } });

const [own, issued] = [undefined, { "cert-manager.io/inject-ca-from": "kube-system/cluster-dns-webhook" }].map(
  (annotations) => object("MutatingWebhookConfiguration", "w", {}, annotations),
) as [KubernetesObject, KubernetesObject];

/** What happens to which object, and the ids of its steps. */
type Expected = readonly [headline: string, ...steps: readonly StepId[]];

function told(before: KubernetesObject[], after: KubernetesObject[]): Expected[] {
  return changes(applied(before), applied(after)).map(({ what, object: name, steps }): Expected => [
    `${what} ${name.replace("kube-system/", "")}`,
    ...steps.map(({ id }) => id),
  ]);
}

describe("changes", () => {
  it("are none where nothing differs", () => expect(told([deployment("a", 2)], [deployment("a", 2)])).toEqual([]));

  const ended: Expected = ["deleted ValidatingAdmissionPolicy p"];
  const images = ["change-image", "change-image"] as const;
  const validating = object("ValidatingAdmissionPolicy", "p");
  const changed = (...ids: StepId[]): Expected => ["changed Deployment coredns", ...ids];

  it.each<[what: string, before: KubernetesObject[], after: KubernetesObject[], expected: Expected[]]>([
    ["a first workload", [], [deployment("a")], [["new Deployment coredns", "start-pods"]]],
    ["another image", [deployment("a", 2)], [deployment("b", 2)], [changed("replace-pods")]],
    ["images", [imaged("a:1", "k8s.io/b:1")], [imaged("a:2", "a.b:50/b:1", [])], [changed("replace-pods", ...images)]],
    ["another spread", [spreads(soft)], [spreads(hard, zone)], [changed("replace-pods", "change-spread")]],
    ["no spread any more", [spreads(zone)], [pods({})], [changed("replace-pods", "change-spread")]],
    ["more replicas", [deployment("a", 2)], [deployment("a", 3)], [changed()]],
    ["a workload that an autoscaler has", [deployment("a")], [deployment("b")], [changed("replace-pods")]],
    ["a workload that is given to an autoscaler", [deployment("a", 2)], [deployment("a")], [changed("own-replicas")]],
    [
      "such a workload, with a controller that keeps the number, and first of all what is done by hand",
      [deployment("a", 2, "x")],
      [deployment("a", undefined, "y"), object("Kustomization", "dns", { spec: { ignore: [] } })],
      [["new Kustomization dns"], changed("make-object-anew", "keep-replicas")],
    ],
    ["another selector", [deployment("a", 2, "x")], [deployment("a", 2, "y")], [changed("make-object-anew")]],
    ["another address", [service("a", "b")], [service("c", "d")], [["changed Service kube-dns", "make-object-anew"]]],
    ["a second address", [service("a")], [service("a", "b")], [["changed Service kube-dns"]]],
    ["another role", [binding("x")], [binding("y")], [["changed RoleBinding b", "make-object-anew"]]],
    ["cert-manager's certificate", [own], [issued], [["changed MutatingWebhookConfiguration w", "issue-certificate"]]],
    ["a certificate of its own", [issued], [own], [["changed MutatingWebhookConfiguration w", "delete-certificate"]]],
    [
      "policies in the webhook's place",
      [own, object("ValidatingWebhookConfiguration", "v")],
      [object("MutatingAdmissionPolicy", "p"), validating],
      [
        ["new MutatingAdmissionPolicy p", "move-admission"],
        ["new ValidatingAdmissionPolicy p"],
        ...["Mutating", "Validating"].map((which, i): Expected => [`deleted ${which}WebhookConfiguration ${"wv"[i]}`]),
      ],
    ],
    ["the webhook for what no policy decided", [validating], [own], [["new MutatingWebhookConfiguration w"], ended]],
    ["a workload that goes", [deployment("a")], [], [["deleted Deployment coredns", "end-pods"]]],
    ["what is kept", [object("Service", "kube-dns", {}, keep)], [], [["deleted Service kube-dns", "keep-object"]]],
  ])("%s", (_, before, after, expected) => expect(told(before, after)).toEqual(expected));

  it("of a configuration named by its hash are differences from the one before", () => {
    const differences = [{ path: ["data", "Corefile"], before: "ttl 30", after: "ttl 7" }];
    const named = "ConfigMap kube-system/coredns-abcdef0123";
    expect(changes(applied([config("0123456789", "ttl 30")]), applied([config("abcdef0123", "ttl 7")]))).toMatchObject([
      { what: "new", object: named, differences, steps: [{ id: "replace-configuration" }] },
    ]);
  });

  it.each<[id: StepId, before: KubernetesObject, after: KubernetesObject, named: string[]]>([
    ["replace-pods", deployment("a", 2), deployment("b", 2), ["2 of them"]],
    ["replace-pods", deployment("a"), deployment("b"), ["as many as there are"]],
    ["replace-pods", daemonSet(1, 3), daemonSet(2, 3), ["its 3 nodes"]],
    ["make-object-anew", deployment("a", 2, "x"), deployment("a", 2, "y"), ["spec.selector "]],
    ["change-image", running("dns", "a:1"), running("dns", "a:2"), ["a:2", "a:1"]],
    [
      "change-image",
      running("log", "registry.k8s.io/log:1"),
      running("log", "mirror.example:5000/k8s/log:1"),
      ["log:1 from mirror.example:5000/k8s instead of registry.k8s.io"],
    ],
    ["change-spread", pods({}), spreads(hard, zone), ["over host (always, at most 1 apart) and over zone (if "]],
  ])("name what they are about: %s", (id, before, after, named) => {
    const steps = changes(applied([before]), applied([after])).flatMap((change) => change.steps);
    const text = steps.find((each) => each.id === id)?.text;
    for (const each of named) expect(text).toContain(each);
  });
});

/** A step by hand in short: its id, when it is done, its commands. */
type ByHand = readonly [id: StepId, when: "before" | "after", ...commands: readonly string[]];

function byHand(before: KubernetesObject[], after: KubernetesObject[], folder?: string): ByHand[][] {
  return changes(applied(before), applied(after), folder).map(({ steps }) =>
    steps.flatMap(({ id, when, by, commands }) =>
      by === "person" && when !== "with" ? [[id, when, ...commands.map(printCommand)] as const] : [],
    ),
  );
}

describe("what no kustomization applies is done by hand, by a command, before or after the commit", () => {
  const argo = (kind: string, spec: object) => {
    return { ...object(kind, "dns-prod", { spec }), apiVersion: "argoproj.io/v1alpha1" };
  };
  const projectOf = (repository: string, server: string, namespaces: string[]) => {
    const destinations = namespaces.map((namespace) => ({ server, namespace }));
    return argo("AppProject", { sourceRepos: [repository], destinations });
  };
  const project = (...namespaces: string[]) => projectOf("x.git", "https://api.example/?a&b", namespaces);
  const application = (spec: object) => argo("Application", spec);
  const [ofProject, ofApplication] = ["appproject", "application"].map(
    (kind) => `kubectl apply --server-side -f 'my out/prod/gitops/argocd/${kind}-dns-prod.yaml'`,
  ) as [string, string];
  const [argoCd, kept] = [application({}), object("Service", "kube-dns")];
  const careful = { ...argoCd, metadata: { name: "a;b", namespace: "$(c)" } };
  const deletes = (name: string, namespace: string): ByHand => {
    return ["delete-object", "after", `kubectl delete application ${name} --namespace ${namespace}`];
  };
  const ignoring = application({ ignoreDifferences: [{ kind: "Deployment" }] });
  const addSource = "argocd proj add-source dns-prod";
  const addPlace = "argocd proj add-destination dns-prod";
  const appliedAfter: ByHand = ["apply-object", "after", ofProject];
  const widened = (...commands: string[]): ByHand[] => [["widen-project", "before", ...commands], appliedAfter];
  const [there, both] = ["https://1.2.3.4", ["a", "b"]] as const;
  const at = (server: string, ...namespaces: string[]) => projectOf("x.git", server, namespaces);
  const y = (server: string, ...namespaces: string[]) => projectOf("y.git", server, namespaces);

  it.each<[what: string, before: KubernetesObject[], after: KubernetesObject[], steps: ByHand[]]>([
    ["a first application", [], [application({})], [["apply-object", "after", ofApplication]]],
    ["a namespace that comes", [project("a")], [project("a", "b")], [["apply-object", "before", ofProject]]],
    ["a namespace that leaves", [project("a", "b")], [project("a")], [["apply-object", "after", ofProject]]],
    ["b becomes c", [project("a", "b")], [project("a", "c")], widened(`${addPlace} 'https://api.example/?a&b' c`)],
    ["a repository, while a namespace leaves", [at(there, ...both)], [y(there, "a")], widened(`${addSource} y.git`)],
    [
      "another server, maybe the same cluster's, too",
      [at(there, ...both)],
      [at("https://dns", "a")],
      widened(...both.map((each) => `${addPlace} https://dns ${each}`)),
    ],
    ["another repository and server", [at("h://1", "a")], [y("h://2", "a")], [["apply-object", "before", ofProject]]],
    ["an autoscaler", [application({})], [ignoring], [["apply-object", "before", ofApplication]]],
    ["no autoscaler any more", [ignoring], [application({})], [["apply-object", "after", ofApplication]]],
    ["others", [application({ source: 1 })], [application({ source: 2 })], [["apply-object", "before", ofApplication]]],
    ["the end", [argoCd, kept], [kept], [deletes("dns-prod", "kube-system")]],
    ["the end of all, of an application named with care", [careful], [], [deletes("'a;b'", "'$(c)'")]],
  ])("%s", (_, before, after, expected) => expect(byHand(before, after, "my out/prod")).toEqual([expected]));

  const flux = (kind: "GitRepository" | "Kustomization", name: string) => ({
    ...object(kind, name),
    apiVersion: `${kind === "Kustomization" ? "kustomize" : "source"}.toolkit.fluxcd.io/v1`,
  });
  const source = flux("GitRepository", "fleet");
  const first = flux("Kustomization", "cluster-dns");
  const cache = flux("Kustomization", "cluster-dns-node-local-dns");
  const endOf = (name: string) => `kubectl delete kustomization ${name} --namespace kube-system`;
  const orphan = (name: string) =>
    `kubectl patch kustomization ${name} --namespace kube-system --type=merge '--patch={"spec":{"deletionPolicy":"Orphan"}}'`;
  const ends: ByHand[][] = [
    [["delete-object", "before", endOf("cluster-dns")]],
    [["orphan-kustomization", "before", orphan("cluster-dns-node-local-dns"), endOf("cluster-dns-node-local-dns")]],
  ];

  it("by Flux's first Kustomization, from where it has its files; it applies the others", () => {
    const apply = "kubectl apply --server-side -f 'my out/prod/gitops/flux";
    expect(byHand([], [source, first, cache], "my out/prod")).toEqual([
      [],
      [["apply-object", "after", `${apply}/gitrepository-fleet.yaml'`]],
      [["apply-object", "after", `${apply}/kustomization-cluster-dns.yaml'`]],
    ]);
    expect(byHand([first], [source, first])).toEqual([[]]);
  });

  it("by Flux, which prunes nothing once the folder of its objects is gone; but a component that leaves", () => {
    const comes = ["apply-object", "after", expect.stringContaining("application-dns-prod.yaml")];
    expect(byHand([cache, first], [application({})])).toEqual([...ends, [comes]]);
    expect(byHand([cache, first], [first])).toEqual([[]]);
    for (const [spec, does] of [
      [{}, "deletes"],
      [{ deletionPolicy: "Orphan" }, "leaves"],
    ] as const) {
      const steps = [{ id: "prune-components", by: "controller", text: `Flux ${does} what it applied` }];
      expect(changes(applied([{ ...cache, spec }, first]), applied([first]))).toMatchObject([{ steps }]);
    }
  });

  const reads = (path: string, name: string, url?: string) => [
    ...(url === undefined ? [] : [{ ...flux("GitRepository", name), spec: { url, ref: { branch: "main" } } }]),
    { ...first, spec: { path, sourceRef: { kind: "GitRepository", name } } },
  ];
  const apply = "kubectl apply --server-side --force-conflicts -f dist/c/gitops/flux";
  const [ofFirst, ofSource] = [`${apply}/kustomization-cluster-dns.yaml`, `${apply}/gitrepository-fleet.yaml`];

  it.each<[what: string, before: KubernetesObject[], after: KubernetesObject[], where: string, commands: string[]]>([
    ["another folder", reads("./a", "fleet", "x"), reads("./b", "fleet", "x"), "./a of x, main", [ofFirst]],
    ["another repository", reads("./a", "fleet", "x"), reads("./a", "fleet", "y"), "./a of x, main", [ofSource]],
    ["its own source", reads("./a", "b"), reads("./a", "fleet", "x"), "./a of GitRepository b", [ofSource, ofFirst]],
    ["another name of its source, where it finds the commit", reads("./a", "b", "x"), reads("./a", "c", "x"), "", []],
  ])("by Flux, which reads where the commit is not, %s", (_, before, after, where, commands) => {
    const found = changes(applied(before), applied(after), "dist/c").filter(({ what }) => what !== "deleted");
    const steps = found.flatMap((change) => change.steps);
    expect(steps).toEqual(commands.map(() => expect.objectContaining({ id: "apply-object", when: "after" })));
    expect(steps.flatMap((step) => step.commands.map(printCommand))).toEqual(commands);
    for (const { text } of steps) expect(text).toContain(`Flux reads ${where},`);
  });

  it("by Flux's Kustomizations that move, whose end would delete what they applied", () => {
    const moved = [first, cache].map((each) => ({ ...each, metadata: { ...each.metadata, namespace: "gitops" } }));
    expect(byHand([cache, first], moved)).toEqual([...ends, [], [["apply-object", "after", expect.anything()]]]);
  });

  it.each<[what: string, leaves: KubernetesObject, command: string]>([
    ["in a namespace", deployment("a"), "kubectl delete deployment coredns --namespace kube-system"],
    ["of all", { apiVersion: "v1", kind: "ClusterRole", metadata: { name: "a" } }, "kubectl delete clusterrole a"],
  ])("by a new controller that does not know what leaves, %s", (_, leaves, command) => {
    const comes = ["apply-object", "after", expect.anything()];
    expect(byHand([leaves], [application({})])).toEqual([[["delete-object", "after", command]], [comes]]);
  });

  const [a, b] = [deployment("a", 2), deployment("b", 2)];
  it.each<[what: string, before: KubernetesObject[], after: KubernetesObject[], order: string[]]>([
    [
      "to Argo CD",
      [cache, first, a],
      [b, argoCd],
      ["before cluster-dns", "before cluster-dns-node-local-dns", "coredns", "after dns-prod"],
    ],
    ["to Flux", [argoCd, a], [b, source, first], ["coredns", "after dns-prod", "after fleet", "after cluster-dns"]],
    [
      "around the commit",
      [object("RoleBinding", "b", { roleRef: 1 }), a, project("a")],
      [object("RoleBinding", "b", { roleRef: 2 }), b, project("a", "b")],
      ["before dns-prod", "coredns", "after b"],
    ],
  ])("in the order in which it is done, %s", (_, before, after, order) => {
    const found = changes(applied(before), applied(after)).map((change) =>
      `${whenByHand(change) ?? ""} ${change.object.replace(/.*\//, "")}`.trim(),
    );
    expect(found).toEqual(order);
  });
});
