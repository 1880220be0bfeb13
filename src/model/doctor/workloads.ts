import type { Container, Pod, PodSpec, Workload } from "../kubernetes/kinds";
import { namespacedName } from "../kubernetes/object";
import { isCurrent, isOf, isReady, nodesOf, placeOf } from "../kubernetes/pods";
import { selects } from "../kubernetes/selectors";
import { authoritativeLabels, names, namespace } from "../object-names";
import { isMore } from "../syntax/quantity";
import { type Finding, grouped, type Severity, some } from "./finding";
import { applying, type Described, type Observed, rendered, sameName, systemPods } from "./observed";
import { outOfMemory, type Trouble, troublesOf } from "./trouble";

/** Workloads that are missing, and pods, also of the cluster's own DNS and of kube-proxy, that do not run or are not ready: why. */
export function workloads(observed: Observed, described?: Described): Finding[] {
  const { workloads: live, pods } = observed;
  if (!live) return [];
  const ours = rendered<Workload>(described, "Deployment", "DaemonSet");
  const wanted = [...ours, ...live.filter((each) => (isDns(each) || isKubeProxy(each)) && !sameName(ours, each))];
  return wanted.flatMap((each): Finding[] => {
    const workload = sameName(
      live.filter(({ kind }) => kind === each.kind),
      each,
    );
    const where = `${each.kind} ${namespacedName(each)}`;
    if (!workload)
      return [
        {
          severity: "error",
          title: "is missing",
          where,
          evidence: ["the cluster file renders it, the cluster does not have it"],
          next: described ? applying(described) : [],
        },
      ];
    return [...lowLimits(workload, each, described), ...(pods ? ofPods(workload, each, systemPods(observed)) : [])];
  });
}

/** Also the cluster's own, under the names that distributions give it. */
export function isDns({ metadata: { name, labels } }: Workload): boolean {
  return (
    /^(coredns|kube-dns|rke2-coredns-rke2-coredns|dns-default|node-?local-?dns)$/.test(name) ||
    labels?.["k8s-app"] === authoritativeLabels["k8s-app"]
  );
}

/** As kubeadm runs it. A Service's address leads nowhere on a node where it does not run. */
function isKubeProxy({ kind, metadata: { name } }: Workload): boolean {
  return kind === "DaemonSet" && name === "kube-proxy";
}

function ofPods(workload: Workload, described: Workload, pods: readonly Pod[]): Finding[] {
  const { matchLabels } = workload.spec.selector ?? {};
  const own = pods.filter((pod) => selects(matchLabels, pod.metadata) && isOf(workload, pod));
  const ready = own.filter(isReady).length;
  const current = own.filter(isCurrent).length;
  const wanted =
    workload.kind === "DaemonSet" ? (workload.status?.desiredNumberScheduled ?? 0) : (workload.spec.replicas ?? 1);
  const troubles = own.flatMap((pod) => troublesOf(pod).map((trouble) => ({ pod, ...trouble })));
  const findings = grouped(troubles, ({ title }) => title).map(([title, same]): Finding => {
    const [first] = same;
    const told: Severity = ready === 0 && first?.severity !== "info" ? "error" : (first?.severity ?? "error");
    // Names resolve without it.
    const severity = workload.metadata.name === names.autoscaler && told === "error" ? "warning" : told;
    return {
      severity,
      title,
      nodes: nodesOf(same.map(({ pod }) => pod)),
      where: `${some(same.map(({ pod }) => `pod ${placeOf(pod)}`))} of ${workload.kind} ${workload.metadata.name}`,
      evidence: [
        ...[...new Set(same.flatMap(({ evidence }) => evidence))].slice(0, 4),
        ...(title === outOfMemory ? limits(workload, described, same) : []),
        `${ready} of ${wanted} pods are ready`,
      ],
      next: nextFor(first),
    };
  });
  if (findings.length > 0 || current >= wanted) return findings;
  // What refuses its pods, if something does.
  const refused = workload.status?.conditions?.find(
    ({ type, status }) => type === "ReplicaFailure" && status === "True",
  );
  return [
    {
      severity: ready === 0 ? "error" : "warning",
      title: "has too few pods",
      where: `${workload.kind} ${namespacedName(workload)}`,
      evidence: [
        `${current} of ${wanted} pods exist, ${ready} are ready`,
        ...(refused ? [`new pods are refused: ${refused.message ?? refused.reason ?? "no reason is given"}`] : []),
      ],
      next: [
        `kubectl describe ${workload.kind.toLowerCase()} ${workload.metadata.name} -n ${namespace}`,
        `kubectl get events -n ${namespace} --sort-by=.lastTimestamp`,
      ],
    },
  ];
}

function nextFor(trouble: ({ readonly pod: Pod } & Trouble) | undefined): string[] {
  if (!trouble) return [];
  const { name } = trouble.pod.metadata;
  const describe = `kubectl describe pod ${name} -n ${namespace}`;
  return trouble.container === undefined
    ? [describe]
    : [describe, `kubectl logs ${name} -n ${namespace} -c ${trouble.container} --tail=50`];
}

function memoryLimits({ spec }: Workload): Map<string, string> {
  return new Map(
    allContainers(spec.template.spec).flatMap(({ name, resources }) => {
      const limit = resources?.limits?.memory;
      return limit === undefined ? [] : [[name, limit] as const];
    }),
  );
}

function allContainers({ initContainers = [], containers }: PodSpec): readonly Container[] {
  return [...initContainers, ...containers];
}

function limits(
  workload: Workload,
  described: Workload,
  same: readonly { pod: Pod; container?: string | undefined }[],
): string[] {
  const name = same[0]?.container ?? "";
  const has = same.map(
    ({ pod }) => allContainers(pod.spec).find((each) => each.name === name)?.resources?.limits?.memory ?? "none",
  );
  const [now, said] = [workload, described].map((each) => memoryLimits(each).get(name) ?? "none");
  return [
    `memory limit: ${[...new Set(has)].join(", ")} of the pod, ${now} of the template, ${said} as rendered from the cluster file`,
    "the cluster file's `size` gives the limit for this many Services and pods, `resources` sets it",
  ];
}

/** A limit below the described one: it holds until the cluster grows, or the API server restarts. */
function lowLimits(workload: Workload, wanted: Workload, described: Described | undefined): Finding[] {
  if (!described) return [];
  const is = memoryLimits(workload);
  const low = [...memoryLimits(wanted)].filter(([name, limit]) => isMore(limit, is.get(name)));
  if (low.length === 0) return [];
  return [
    {
      severity: "warning",
      title: "has a lower memory limit than described",
      where: `${workload.kind} ${namespacedName(workload)}`,
      evidence: low.map(
        ([name, limit]) => `container ${name} may use ${is.get(name)}, the cluster file renders ${limit}`,
      ),
      next: applying(described),
    },
  ];
}
