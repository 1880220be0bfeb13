import type { AutoscalerSettings } from "../cluster/authoritative-dns";
import type { Node, Pod, Workload } from "../kubernetes/kinds";
import { lastWarning } from "../kubernetes/last-warning";
import { namespacedName } from "../kubernetes/object";
import { containersOf, isCurrent, isReady, placeOf } from "../kubernetes/pods";
import { selects } from "../kubernetes/selectors";
import { names, namespace } from "../object-names";
import { isKubeProxy } from "../running/find-proxy";
import { grouped } from "../syntax/grouped";
import { some } from "../syntax/some";
import { dense } from "../syntax/sparse";
import { applying, type Described } from "./described";
import { memoryLimits } from "./drift";
import { atPods, type Finding, finding, type Findings } from "./finding";
import type { Patient } from "./patient";
import { isUp, nodesForPod } from "./placed";
import { changesOf } from "./changed-pods";
import { type Suggestion, type Suggestions, about, beside, kubectl, noted, system } from "./suggestions";
import { ending, keepersOf } from "./ending";
import { again, type Trouble, troublesOf } from "./trouble";

/** Pods, also of the cluster's own DNS and of kube-proxy, that do not run or are not ready: why. */
export function workloads(patient: Patient): Findings {
  if (!patient.state.pods) return [];
  return patient.workloads.map(({ live, wanted, isDns }) => {
    if (isDns && live.spec.replicas === 0) return scaledToZero(live, wanted && patient.described);
    // A Service's address leads nowhere on a node where kube-proxy does not run.
    return (
      (isDns || wanted || live.spec.template.spec.containers.some(isKubeProxy)) && ofPods(live, wanted ?? live, patient)
    );
  });
}

function scaledToZero(workload: Workload, described: Described | undefined): Finding {
  const { autoscaler } = described?.cluster.components.authoritativeDns ?? {};
  const { name } = workload.metadata;
  const scale = beside(workload)`scale deployment ${name} --replicas=${String(Math.max(autoscaler?.min ?? 0, 2))}`;
  return finding(
    "scaled-to-zero",
    `Deployment ${namespacedName(workload)}`,
    "spec.replicas is 0",
    described && !autoscaler ? applying(described) : [autoscaler && whyNone(autoscaler.mode), scale],
  );
}

function whyNone(mode: AutoscalerSettings["mode"]): Suggestion {
  return mode === "horizontal"
    ? system`describe horizontalpodautoscaler ${names.authoritativeDns}`
    : system`logs -l k8s-app=${names.autoscaler} --tail=20`;
}

function ofPods(workload: Workload, described: Workload, patient: Patient): Findings {
  const { kind, metadata, spec, status } = workload;
  const own = patient.podsOf(workload).filter((pod) => selects(spec.selector?.matchLabels, pod.metadata));
  const ready = own.filter(isReady).length;
  const current = own.filter(isCurrent).length;
  const wanted = kind === "DaemonSet" ? (status?.desiredNumberScheduled ?? 0) : (spec.replicas ?? 1);
  // A node that is down is a finding of its own.
  const down = new Set((patient.state.nodes ?? []).filter((node) => !isUp(node)).map((node) => node.metadata.name));
  const reachable = own.filter((pod) => !down.has(pod.spec.nodeName ?? ""));
  const troubles = reachable.flatMap((pod) =>
    troublesOf(pod, patient.state.now).map((each): Troubled => ({
      pod,
      ...each,
      id: failsToStart(each, pod, patient) ? "cannot-start" : each.id,
    })),
  );
  const evicted = evictedAgain(workload, patient);
  const others = troubles.filter(({ id }) => id !== "evicted" || !evicted);
  const told = grouped(others, (each) => each.id).map(([id, same]) => {
    const [first] = same;
    const evidence = [
      [...new Set(dense(same.map((each) => each.evidence)))].slice(0, 4),
      id === "unschedulable" && unfit(first.pod, patient.state.nodes, kind),
      unlikeTemplate(same, workload, own),
      id === "crash-loop" && !first.isKilled && lastWords(same, patient),
      (id === "not-ready" || id === "cannot-start" || first.isKilled) && warningOfPod(same, patient),
      id.startsWith("out-of-memory") && limits(workload, described, same),
      `${ready} of ${wanted} pods are ready`,
    ];
    const pods = same.map(({ pod }) => pod);
    const place = atPods(pods, ` of ${kind} ${metadata.name}`);
    const next = nextFor(first, workload, own);
    const found = finding(ready === 0 ? (worse[id] ?? id) : id, place, evidence, next);
    // Names resolve without it.
    return metadata.name === names.autoscaler && found.severity === "error"
      ? finding("autoscaler-down", place, [found.title, evidence], next)
      : found;
  });
  // One that was evicted says nothing of its successor.
  const isTold = troubles.some(({ pod }) => isCurrent(pod));
  const isWhole = reachable.length < own.length || current >= wanted;
  const refusal = replicaFailure(workload);
  const refused =
    refusal !== undefined &&
    finding(
      "refused-next",
      `${kind} ${namespacedName(workload)}`,
      `pods that run stay, new ones are refused: ${refusal}`,
      [about(workload, "describe"), limitsOf(workload), "mend what the message names"],
    );
  return [evicted, told, !isTold && (isWhole ? refused : tooFew(workload, { current, ready, wanted }, patient))];
}

/** By events: of a DaemonSet, evicted pods are deleted at once. */
function evictedAgain(workload: Workload, { state: { events = [] } }: Patient): Finding | undefined {
  const { kind, metadata } = workload;
  const ofDaemonSet = kind === "DaemonSet" ? 1 : 2;
  const isOfPod = (of: string | undefined, name: string, reason: string | undefined) =>
    of === "Pod" && reason === "Evicted" && name.split("-").slice(0, -ofDaemonSet).join("-") === metadata.name;
  const pods = new Set(
    events.flatMap(({ involvedObject: { kind: of, name = "" }, reason }) => (isOfPod(of, name, reason) ? name : [])),
  );
  return pods.size < again
    ? undefined
    : finding(
        "evicted-again",
        `${kind} ${namespacedName(workload)}`,
        [`${pods.size} pods within the hour that events are kept`, lastWarning(events, isOfPod)],
        [
          beside(workload)`get events --field-selector reason=Evicted --sort-by=.lastTimestamp`,
          kubectl`describe nodes`,
          "free what the node lacks, or raise the pods' limit that the message names; a `resources` request that fits their use keeps them",
        ],
      );
}

function tooFew(
  workload: Workload,
  { current, ready, wanted }: { readonly current: number; readonly ready: number; readonly wanted: number },
  patient: Patient,
): Finding {
  const { kind } = workload;
  const pods = patient.podsOf(workload);
  // A refusal before the newest pod is over.
  const newest = pods
    .map((pod) => pod.metadata.creationTimestamp ?? "")
    .toSorted()
    .at(-1);
  const refused =
    replicaFailure(workload) ??
    lastWarning(patient.state.events ?? [], (of, name) => isMakerOfPods(workload, of, name), newest);
  // A pod's deletion says until when it may take.
  const msLate = (pod: Pod) => patient.state.now.getTime() - Date.parse(pod.metadata.deletionTimestamp ?? "");
  const stuck = kind === "DaemonSet" ? pods.filter((pod) => msLate(pod) > 60_000) : [];
  const restart = about(workload, "rollout restart");
  return finding(
    ready === 0 ? "no-pods" : "too-few-pods",
    `${kind} ${namespacedName(workload)}`,
    [
      `${current} of ${wanted} pods exist, ${ready} are ready`,
      refused !== undefined && `new pods are refused: ${refused}`,
      stuck.length > 0 && `deleted, but not gone, so that no other comes: ${some(stuck.map(placeOf))}`,
      stuck.slice(0, 1).flatMap(keepersOf),
    ],
    [
      about(workload, "describe"),
      beside(workload)`get events --sort-by=.lastTimestamp`,
      refused !== undefined && limitsOf(workload),
      // Each refusal doubles the wait, up to the 1000 s of client-go's rate limiter.
      refused !== undefined && noted(restart, "once that is mended: Kubernetes itself may wait 16 minutes"),
      stuck.slice(0, 1).map((pod) => [
        ending(pod),
        // Force does not take away what finalizers keep.
        keepersOf(pod).length === 0 && noted(about(pod, "delete", "--force"), "once its containers have ended"),
      ]),
    ],
  );
}

/** What of its namespace may refuse pods, besides webhooks and policies. */
function limitsOf(workload: Workload): Suggestion {
  return beside(workload)`get resourcequotas,limitranges -o yaml`;
}

/** What refuses its pods, or a rollout, if something does. A DaemonSet has no condition for it. */
function replicaFailure({ status }: Workload): string | undefined {
  return status?.conditions?.find(
    ({ type, status: is, reason }) =>
      (type === "ReplicaFailure" && is === "True") || (type === "Progressing" && reason === "ReplicaSetCreateError"),
  )?.message;
}

/** What a trouble is if no pod is without one. */
const worse: { readonly [id: string]: "none-ready" | "out-of-memory" } = {
  "not-ready": "none-ready",
  "out-of-memory-once": "out-of-memory",
};

interface Troubled extends Trouble {
  readonly pod: Pod;
}

function nextFor(trouble: Troubled, workload: Workload, all: readonly Pod[]): Suggestions {
  const { id, pod, container, hasRun, isStarting } = trouble;
  const { name } = pod.metadata;
  return [
    about(pod, "describe"),
    container !== undefined && hasRun === true && beside(pod)`logs ${name} -c ${container} --tail=50`,
    unlikeTemplate([trouble], workload, all).length > 0 ? mendChanged(trouble) : mends[id],
    id === "not-ready" &&
      hasRun === true &&
      isStarting !== true &&
      noted(about(pod, "delete"), "if it hangs: its successor starts anew"),
  ];
}

/** Whether the template does not have the container in trouble. */
function isInjected({ container }: Troubled, { spec }: Workload): boolean {
  return container !== undefined && !containersOf(spec.template.spec).some(({ name }) => name === container);
}

/** What the cluster file cannot mend: it does not stand there. */
function unlikeTemplate(same: readonly Troubled[], workload: Workload, all: readonly Pod[]): string[] {
  const injected = same.flatMap((each) => (isInjected(each, workload) ? [each.container] : []));
  return [
    ...[...new Set(injected)].map((name) => `container ${name} is not of the template: something adds it to the pod`),
    ...new Set(same.flatMap(({ pod }) => changesOf(pod, workload, all))),
  ].slice(0, 4);
}

/** What changes pods at admission, or has changed one. */
function mendChanged({ pod }: Troubled): Suggestion[] {
  const { namespace: own = namespace } = pod.metadata;
  return [
    kubectl`get mutatingwebhookconfigurations,mutatingadmissionpolicies`,
    noted(about(pod, "delete"), `once what changes it leaves out ${own}`),
  ];
}

const mends: { readonly [id: string]: Suggestion } = {
  "crash-loop": "mend what it said; if that is `exec format error`, name an image for the node's processor",
  unschedulable:
    "if taints or labels keep it away, change these, or nodePlacement in the cluster file; if ports, CPU, memory or pods are too many, free some, or lower `resources`",
  "cannot-start": "mend what the reason names: an object, or a file, a mount or the network of the node",
  "image-not-pulled": "name an image and a registry in the cluster file that nodes can pull from",
};

/** Why each node does not fit, which the scheduler tells without names. */
function unfit(pod: Pod, nodes: readonly Node[] = [], kind: string): string[] {
  const refusing = nodesForPod(nodes, pod, kind).filter(({ reasons }) => reasons.length > 0);
  return grouped(refusing, ({ reasons }) => reasons.join(", "))
    .map(([why, same]) => `${some(same.map(({ node }) => node))}: ${why}`)
    .slice(0, 4);
}

/** What the last run of one of the containers said at its end. */
function lastWords(same: readonly Troubled[], { state: { logs } }: Patient): string | undefined {
  const [said] = dense(same.map(({ pod, container = "" }) => logs.get(pod.metadata.name)?.get(container)?.whyEnded));
  return said === undefined ? undefined : `it said: ${said}`;
}

/** Whether the kubelet has failed to make a pod's network or volumes, which its status does not say. */
function failsToStart({ id, hasRun }: Trouble, { metadata }: Pod, { state: { events = [] } }: Patient): boolean {
  const isFailure = (kind: string | undefined, name: string, reason = "") =>
    kind === "Pod" && name === metadata.name && reason.startsWith("Failed");
  return (
    id === "not-ready" && hasRun !== true && lastWarning(events, isFailure, metadata.creationTimestamp) !== undefined
  );
}

/** What keeps a container from starting, or a probe from succeeding. */
function warningOfPod(same: readonly Troubled[], { state: { events = [] } }: Patient): string | undefined {
  const [said] = dense(
    same.map(({ pod: { metadata } }) =>
      lastWarning(events, (kind, name) => kind === "Pod" && name === metadata.name, metadata.creationTimestamp),
    ),
  );
  return said;
}

/** A DaemonSet itself, or a Deployment's ReplicaSets. */
function isMakerOfPods({ kind, metadata }: Workload, of: string | undefined, name: string): boolean {
  return kind === "DaemonSet"
    ? of === kind && name === metadata.name
    : of === "ReplicaSet" && name.slice(0, name.lastIndexOf("-")) === metadata.name;
}

function limits(workload: Workload, described: Workload, same: readonly Troubled[]): string[] {
  const name = same[0]?.container ?? "";
  const has = same.map(
    ({ pod }) => containersOf(pod.spec).find((each) => each.name === name)?.resources?.limits?.memory ?? "none",
  );
  const [now, said] = [workload, described].map(({ spec }) => memoryLimits(spec.template.spec)[name] ?? "none");
  return [
    `memory limit: ${[...new Set(has)].join(", ")} of the pod, ${now} of the template, ${said} as rendered from the cluster file`,
    "the cluster file's `size` gives the limit for this many Services and pods, `resources` sets it",
  ];
}
