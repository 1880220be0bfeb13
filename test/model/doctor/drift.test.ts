import { describe, expect, it } from "vitest";
import { diagnose } from "../../../src/model/doctor/diagnose";
import type { ConfigMap, Service } from "../../../src/model/kubernetes/kinds";
import { identity, type KubernetesObject } from "../../../src/model/kubernetes/object";
import { comparedObjects, type Described } from "../../../src/model/doctor/described";
import { listed } from "../../../src/model/running/cluster-state";
import { grouped } from "../../../src/model/syntax/grouped";
import * as edit from "./edit";
import { commands, described, findingsOf, found, healthy, idsOf, lastOf, props } from "./healthy";

const is = healthy();

it("finds nothing in a cluster that is as described, nor without a description", () => {
  for (const given of [
    props,
    { ...props, kubeProxyMode: "nftables" as const },
    { clusterDNS: ["10.96.0.10"], kubeProxyMode: "ipvs" as const },
    { ...props, clusterDNS: ["fd00:96::a", "10.96.0.10"] },
    { ...props, clusterDNS: ["fd00:96::a"] },
    { ...props, monitoring: { namespace: "observability" }, smokeTest: true, authoritativeDNS: { autoscaler: {} } },
  ])
    expect(diagnose(healthy(described(given)), described(given))).toEqual([]);
  expect(diagnose(healthy())).toEqual([]);
});

describe("what is missing", () => {
  it("all at once is one finding for each severity, the rights before what needs them", () => {
    const nothing = { workloads: [], services: [], configMaps: [], pods: [], endpointSlices: [], asked: new Map() };
    const [first, ...more] = diagnose({ ...is, ...nothing }, described()).filter(({ id }) => id.startsWith("missing"));
    expect(first).toMatchObject({ id: "missing", where: "8 objects" });
    expect(first?.evidence[1]).toMatch(/Service kube-system\/kube-dns, .*Deployment kube-system\/coredns/);
    expect(more).toMatchObject([{ id: "missing-aside", where: "Service kube-system/node-local-dns" }]);
  });

  it("of a workload is all that is told of its pods", () => {
    const where = "Deployment kube-system/coredns";
    expect(found(edit.lacking("workloads", "coredns"))).toMatchObject([{ id: "missing", where }]);
  });

  const commit = "# commit dist/prod, and let";
  it.each([
    [props, ["kubectl apply --server-side --force-conflicts -k dist/prod"]],
    [
      { ...props, gitops: { argocd: { repoURL: "https://git.example/dns.git" } } },
      ["kubectl get application cluster-dns-prod -n argocd", `${commit} Argo CD sync Application cluster-dns-prod`],
    ],
    [
      { ...props, gitops: { flux: {} } },
      [
        expect.stringMatching(/^kubectl get kustomizations -n flux-system -o .*SUSPENDED:/),
        `${commit} Flux reconcile its Kustomizations`,
      ],
    ],
  ])("is rendered, shown and applied: %j", (given, more) => {
    const from = described(given);
    const [finding] = findingsOf(edit.lacking("services", "kube-dns", from), from);
    const first = ["synth", "diff --live"].map((command) => `npx cdk8s-cluster-dns ${command} prod`);
    expect(commands(finding)).toEqual([...first, ...(more as unknown[])]);
  });
});

describe("an object of any kind", () => {
  const base = { ...props, kubernetesVersion: "1.36", networkPolicies: true, monitoring: {} };
  const autoscaler = { mode: "horizontal", max: 9 } as const;
  const from = [
    described({
      ...base,
      resilience: { apiPriority: true },
      authoritativeDNS: { autoscaler },
      admission: { allowedUsers: ["admin"], enforcement: "webhook" },
    }),
    described({ ...base, admission: { allowedUsers: ["admin"] } }),
    described({ ...base, nodeLocalDNS: {}, kubeProxyMode: "none", cni: "cilium" }),
  ];
  const all = from.flatMap((each) =>
    grouped(comparedObjects(each), ({ kind }) => kind).map(([kind, [object]]) => ({ kind, object, from: each })),
  );

  const rights = ["ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];
  const vital = /^(Service|Deployment|DaemonSet|(Mutating|Validating)WebhookConfiguration)$/;
  const idOf = (what: string, { kind, metadata }: KubernetesObject) => {
    const isVital = vital.test(kind) || /^(coredns|node-local-dns)-\w{10}$/.test(metadata.name);
    return rights.includes(kind) ? "rights" : isVital ? what : `${what}-aside`;
  };

  it.each(all)("$kind that is missing, or about to be, is told of", ({ kind, object, from: each }) => {
    const state = healthy(each);
    const changed = (change: (one: KubernetesObject) => KubernetesObject[]) => {
      const ofAll = (list: readonly KubernetesObject[] = []) =>
        list.flatMap((one) => (one.kind === kind && one.metadata.name === object.metadata.name ? change(one) : [one]));
      const lists = Object.keys(listed).map((list) => [list, ofAll(state[list as keyof typeof listed])]);
      const asked = new Map([...state.asked].map(([of, list]) => [of, ofAll(list)]));
      return found({ ...Object.fromEntries(lists), asked }, each).filter(({ where }) => where.startsWith(`${kind} `));
    };
    const told = (what: string) =>
      expect.objectContaining({ id: idOf(what, object), where: identity(object) }) as unknown;
    expect(changed(() => [])).toContainEqual(told("missing"));
    const deleted = { ...object.metadata, deletionTimestamp: "2026-10-31T23:00:00Z" };
    expect(changed((one) => [{ ...one, metadata: deleted }])).toContainEqual(told("differs"));
  });

  it.each(["services", "workloads", "configMaps", "disruptionBudgets"] as const)(
    "of %s that finalizers keep from being deleted goes without them, and is applied again",
    (list) => {
      const finalizers = ["foregroundDeletion", "a.example/hold"];
      const [first] = is[list];
      const metadata = { ...first?.metadata, deletionTimestamp: "2026-10-31T23:00:00Z", finalizers };
      const { kind = "" } = first ?? {};
      const told = findingsOf({ [list]: [{ ...first, metadata, spec: {} }, ...is[list].slice(1)] });
      const finding = told.find(({ where }) => first && where === identity(first));
      expect(finding?.evidence).toEqual([
        "is being deleted since 2026-10-31T23:00:00Z",
        "finalizer foregroundDeletion keeps it until kube-controller-manager takes that away",
        "finalizer a.example/hold keeps it until a controller of a.example takes that away",
      ]);
      const at = (place: number, value?: string) => ({ path: `/metadata/finalizers/${place}`, value });
      const tests = [0, 1].map((place) => ({ op: "test", ...at(place, finalizers[place]) }));
      const patch = JSON.stringify([...tests, ...[1, 0].map((place) => ({ op: "remove", ...at(place) }))]);
      expect(commands(finding).map((each) => each.split("  #")[0])).toEqual([
        expect.stringContaining(" synth prod"),
        expect.stringContaining(" diff "),
        expect.stringMatching(/^kubectl get /),
        expect.stringMatching(/^# let /),
        `kubectl patch ${kind.toLowerCase()} ${metadata.name} --type=json -p '${patch}' -n kube-system`,
        expect.stringMatching(/^kubectl apply /),
      ]);
    },
  );

  it.each(["PodDisruptionBudget", "HorizontalPodAutoscaler", "FlowSchema", "PriorityLevelConfiguration"])(
    "%s with another field is as good as described, or is told of",
    (kind) => {
      const ofKind = from[0] as Described;
      const state = healthy(ofKind);
      const withSpec = (more: object) => {
        const ofAll = <T extends KubernetesObject>(list: readonly T[] = []) =>
          list.map((each) => (each.kind === kind ? { ...each, spec: { ...each.spec, ...more } } : each));
        const asked = new Map([...state.asked].map(([of, list]) => [of, ofAll(list)]));
        return { asked, disruptionBudgets: ofAll(state.disruptionBudgets) };
      };
      const told = (more: object) => found(withSpec(more), ofKind).filter(({ where }) => where.startsWith(kind));
      expect(told({ filledIn: {} })).toEqual([]);
      expect(told({ changed: 1 })[0]).toMatchObject({ id: "differs-aside" });
    },
  );
});

describe("rights", () => {
  const without = (kind: string, change: (object: KubernetesObject) => KubernetesObject[]) => ({
    asked: new Map([...is.asked, [kind, is.asked.get(kind)?.flatMap(change) ?? []]]),
  });
  const system = "system:coredns";

  it.each([
    ["ClusterRole", "that is gone", () => [], /restart$/],
    ["ClusterRoleBinding", "that is gone", () => [], /restart$/],
    ["ClusterRole", "that is short", (each: object) => [{ ...each, rules: [] }], /^lacks list endpoints core, /],
    ["ClusterRoleBinding", "of nobody", (each: object) => [{ ...each, subjects: [] }], /^is not for \S+ \S+\/coredns$/],
  ] as const)("%s %s is found before pods restart", (kind, _, change, evidence) => {
    const all = found(without(kind, change as (object: KubernetesObject) => KubernetesObject[]));
    expect(all).toMatchObject([{ id: "rights", where: `${kind} ${system}` }]);
    expect(all[0]?.evidence[0]).toMatch(evidence);
  });

  it("that are more than needed are none too few, and a role that was not read is not missing", () => {
    const everything = { rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }] };
    expect(found(without("ClusterRole", (each) => [{ ...each, ...everything }]))).toEqual([]);
    expect(found({ asked: new Map() })).toEqual([]);
  });
});

describe("a Service", () => {
  const where = "Service kube-system/kube-dns";
  const renders = "the cluster file renders";
  const changed = (spec: Partial<Service["spec"]>, from = described()) => ({
    services: edit.replaced(healthy(from).services, "kube-dns", (each) => ({
      ...each,
      spec: { ...each.spec, ...spec },
    })),
  });

  it.each<[Partial<Service["spec"]>, evidence: string]>([
    [{ clusterIPs: ["10.96.0.11"] }, `clusterIPs is ["10.96.0.11"], ${renders} ["10.96.0.10"]`],
    [{ selector: { "k8s-app": "dns" } }, `selector is {"k8s-app":"dns"}, ${renders} {"k8s-app":"kube-dns"}`],
    [{ internalTrafficPolicy: "Local" }, `internalTrafficPolicy is "Local", ${renders} "Cluster"`],
    [
      { ports: [{ name: "dns", port: 53, protocol: "UDP", targetPort: 5353 }] },
      `ports is ["dns 53/UDP to 5353"], ${renders} ["dns 53/UDP to 53","dns-tcp 53/TCP to 53","metrics 9153/TCP to 9153"]`,
    ],
  ])("with %j", (spec, evidence) => {
    expect(found(changed(spec))[0]).toEqual({ id: "differs", where, evidence: [evidence] });
  });

  it("is mended by a patch, as applying keeps what others added", () => {
    const operations = [
      { op: "remove", path: "/spec/selector/more" },
      { op: "add", path: "/spec/selector/k8s-app", value: "kube-dns" },
      { op: "remove", path: "/spec/internalTrafficPolicy" },
    ];
    const mends = lastOf(changed({ selector: { more: "yes" }, internalTrafficPolicy: "Local" }));
    expect(mends).toBe(`kubectl patch service kube-dns --type=json -p '${JSON.stringify(operations)}' -n kube-system`);
  });

  describe("with another address", () => {
    /** The commands that write. */
    const advised = (live: string[], kubelet?: string[], said = ["10.96.0.10"], read = ["node-1", "node-2"]) => {
      const from = described({ ...props, clusterDNS: said });
      const settings = { clusterDNS: kubelet ?? [], clusterDomain: "cluster.local" };
      const kubelets = new Map(kubelet ? read.map((node) => [node, settings] as const) : []);
      const all = diagnose({ ...healthy(from), ...changed({ clusterIPs: live }, from), kubelets }, from);
      const finding = all.find(({ id }) => id === "differs");
      const writes = commands(finding).flatMap((each) => /^kubectl (delete|patch|apply) /.exec(each)?.[1] ?? []);
      return { evidence: finding?.evidence.join(), writes };
    };

    it("is replaced if no kubelet leads pods there", () => {
      expect(advised(["10.96.0.99"], ["10.96.0.10"]).writes).toEqual(["delete", "apply"]);
    });

    it("stays if kubelets lead pods there, or may: the cluster file is wrong", () => {
      expect(advised(["10.43.0.10"], undefined).writes).toEqual([]);
      const unread = advised(["10.43.0.10"], ["10.96.0.10"], undefined, ["node-1"]);
      expect(unread.writes).toEqual([]);
      expect(unread.evidence).toMatch(/not read of node-2: if pods ask 10\.43\.0\.10/);
      const led = advised(["10.43.0.10"], ["10.43.0.10"]);
      expect(led.writes).toEqual([]);
      expect(led.evidence).toContain("pods ask 10.43.0.10, as kubelets tell them (node-1, node-2)");
    });

    it("of a second family changes in place", () => {
      const [first, second, other] = ["10.96.0.10", "fd00:96::a", "fd00:96::b"];
      expect(advised([first], [first], [first, second]).writes).toEqual(["apply"]);
      expect(advised([first, second], [first]).writes).toEqual(["apply"]);
      expect(advised([first, other], [first], [first, second]).writes).toEqual(["patch", "apply"]);
    });
  });

  it("of the cluster itself is missing, elsewhere, or at another address", () => {
    expect(diagnose({ ...is, ...edit.lacking("services", "kube-dns") })).toMatchObject([{ id: "missing", where }]);
    const existing = { kind: "Existing" } as const;
    const elsewhere = described({ ...props, authoritativeDNS: existing });
    expect(found({}, elsewhere)).toMatchObject([{ id: "dns-service-elsewhere", where }]);
    const from = described({ ...props, clusterDNS: ["10.96.0.53"], authoritativeDNS: existing });
    const own = is.services.filter(({ metadata }) => metadata.name === "kube-dns");
    const evidence = ['clusterIPs is ["10.96.0.10"], the cluster file says clusterDNS: ["10.96.0.53"]'];
    const change = { services: [...own, ...healthy(from).services], pods: is.pods };
    expect(found(change, from)).toContainEqual({ id: "differs", where, evidence });
  });
});

describe("configurations", () => {
  const name = is.configMaps.find(({ metadata }) => metadata.name.startsWith("coredns-"))?.metadata.name ?? "";
  const where = `ConfigMap kube-system/${name}`;

  it("with a file that none is rendered of", () => {
    const evidence = ['extra: line 1 is "x", the cluster file renders "nothing"'];
    expect(found(edit.changing("configMaps", name, { data: { extra: "x" } }))).toMatchObject([
      { id: "differs", where, evidence },
    ]);
  });

  it("not applied yet are no more than another configuration", () => {
    const older = { volumes: [{ configMap: { name: "coredns-old" } }] };
    const change = {
      configMaps: edit.patched(is.configMaps, name, { metadata: { name: "coredns-old" } }),
      workloads: edit.patched(is.workloads, "coredns", { spec: { template: { spec: older } } }),
      pods: edit.patched(edit.patched(is.pods, "coredns-0", { spec: older }), "coredns-1", { spec: older }),
    };
    expect(idsOf(change)).toEqual(["other-configuration"]);
    // A pod of a rollout that was undone.
    expect(found({ ...change, pods: is.pods })[0]).toMatchObject({ id: "missing", where });
  });

  it("are the same in whatever order", () => {
    const from = described({ ...props, authoritativeDNS: { autoscaler: {} }, monitoring: {} });
    const reversed = (data: ConfigMap["data"] = {}) => Object.fromEntries(Object.entries(data).toReversed());
    const configMaps = healthy(from).configMaps.map((each) => ({ ...each, data: reversed(each.data) }));
    expect(found({ configMaps }, from)).toEqual([]);
  });

  it("that nothing mounts are no error, missing or changed by hand", () => {
    const from = described({ ...props, monitoring: {} });
    const dashboard = (change: Parameters<typeof edit.replaced<ConfigMap>>[2]) =>
      found({ configMaps: edit.replaced(healthy(from).configMaps, "cluster-dns-dashboard", change) }, from);
    const of = { where: "ConfigMap kube-system/cluster-dns-dashboard" };
    expect(dashboard(() => undefined)).toMatchObject([{ ...of, id: "missing-aside" }]);
    expect(dashboard((each) => ({ ...each, data: {} }))).toMatchObject([{ ...of, id: "differs-aside" }]);
  });

  it("changed by hand are deleted only if they are immutable", () => {
    const from = described({ ...props, authoritativeDNS: { autoscaler: {} } });
    const was = healthy(from).configMaps;
    const configMaps = was.map((each) => ({ ...each, data: { ...each.data, more: "by hand" } }));
    const all = diagnose({ ...healthy(from), configMaps }, from).filter(({ id }) => id.startsWith("differs"));
    const deleted = all.flatMap(commands).filter((each) => each.startsWith("kubectl delete"));
    const immutable = was.filter((each) => each.immutable === true);
    expect(deleted.toSorted()).toEqual(
      immutable.map(({ metadata }) => `kubectl delete configmap ${metadata.name} -n kube-system`).toSorted(),
    );
    expect([all.length, immutable.length > 0]).toEqual([was.length, immutable.length < was.length]);
  });

  it("changed by hand, so that CoreDNS cannot read it", () => {
    const { data } = is.configMaps.find(({ metadata }) => metadata.name === name) ?? {};
    const change = edit.changing("configMaps", name, { data: { Corefile: data?.["Corefile"]?.replace(/}\n$/, "") } });
    const evidence = [expect.stringMatching(/^Corefile: line \d+ is "", the cluster file renders "}"$/)];
    const unreadable = { id: "corefile-unreadable", where };
    expect(found(change)).toMatchObject([{ id: "differs", where, evidence }, unreadable]);
  });

  it("other than described in the template, or in pods that a rollout has not replaced", () => {
    const spec = { volumes: [{ configMap: { name: "coredns-old" } }] };
    const workload = edit.changing("workloads", "coredns", { spec: { template: { spec } } });
    const [first, ...more] = found({ ...workload, ...edit.changing("pods", "coredns-0", { spec }) });
    expect(first?.id).toBe("other-configuration");
    expect(first?.evidence[0]).toContain(`it mounts coredns-old, the cluster file renders ${name}: `);
    const evidence = [`kube-system/coredns-1 on node-2 mount ${name}, new pods mount coredns-old`];
    expect(more).toMatchObject([{ id: "older-pods", evidence }]);
  });
});

it("finds what an earlier description left running", () => {
  const removed = described({ ...props, nodeLocalDNS: { state: "removed" } });
  const names = ["node-local-dns", "node-local-dns-watchdog"];
  const left = is.workloads.filter(({ metadata }) => names.includes(metadata.name));
  const undescribed = (all: typeof left) =>
    findingsOf(edit.adding("workloads", all, removed), removed).filter(({ id }) => id === "undescribed");
  expect(undescribed(left).map(({ where }) => where)).toEqual(names.map((name) => `DaemonSet kube-system/${name}`));
  const deletes = names.map((name) => `kubectl delete daemonset ${name} -n kube-system`);
  expect(undescribed(left).flatMap(commands)).toEqual(deletes);
  const metadata = { deletionTimestamp: "2026-10-31T23:00:00Z", finalizers: ["a.example/hold"] };
  const [first] = undescribed(edit.patched(left, "node-local-dns", { metadata }));
  expect(first?.evidence).toContainEqual(expect.stringMatching(/^finalizer a\.example\/hold keeps it /));
  expect(commands(first).at(-1)).toMatch(/^kubectl patch daemonset node-local-dns --type=json /);
});

it("a check that fails on an odd object does not hide what the others find", () => {
  const odd = { metadata: { name: "node-3" }, spec: { taints: 5 } };
  const told = found({ ...edit.adding("nodes", [odd]), ...edit.lacking("services", "kube-dns") });
  const checks = ["check spread", "check nodeCoverage"].map((where) => ["unchecked", where]);
  expect(told.map(({ id, where }) => [id, where])).toEqual([["missing", "Service kube-system/kube-dns"], ...checks]);
});
