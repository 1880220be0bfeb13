import { renderCluster } from "../charts/render-cluster";
import { inSentence } from "../config/list-cluster-files";
import type { LocatedProblem } from "../config/located-problem";
import { readClusters } from "../config/read-clusters";
import { appliersOf } from "../model/changes/appliers";
import { changes } from "../model/changes/changes";
import { withFixedFields } from "../model/changes/fixed-fields";
import { inForceIn } from "../model/changes/in-force-in";
import { leaveFlux } from "../model/changes/pruning";
import { isKept } from "../model/gitops/annotations";
import { objectsOf } from "../model/kubernetes/list";
import { identity, isWorkload, type KubernetesObject } from "../model/kubernetes/object";
import { mountedConfigMaps, podTemplate } from "../model/kubernetes/pods";
import { commonLabels, namespace } from "../model/object-names";
import type { KubeProxyMode } from "../model/props/cluster-dns";
import { findProxy, otherProxyMode } from "../model/running/find-proxy";
import { inForce } from "../model/steps/in-force";
import { type Step, warning } from "../model/steps/step";
import { steps } from "../model/steps/steps";
import { isMapping } from "../model/syntax/mapping";
import { show } from "../model/syntax/show";
import type { ClusterDiff } from "../output/diff-clusters";
import { gitOpsOf } from "../output/rendering";
import { kubectl, type KubectlRun } from "./kubectl";
import { readState } from "./read-state";

/** Which cluster file is compared with which cluster. */
export interface LiveOptions {
  readonly clustersFolder: string;
  /** The cluster; without one, the folder's only cluster. */
  readonly name: string | undefined;
  /** Of the kubeconfig; its current one if undefined. */
  readonly context: string | undefined;
  /** Who applies the objects: fields that a cluster file no longer sets are removed if they are this manager's. */
  readonly fieldManager: string;
}

/**
 * What applying a cluster's objects would change in a cluster, by a dry run on its API server: with what the server
 * fills in and admission changes. Kubelets are not asked.
 */
export function diffLive({ clustersFolder, name, context, fieldManager }: LiveOptions): {
  readonly problems: readonly LocatedProblem[];
  readonly diffs: readonly ClusterDiff[];
} {
  const { clusters, problems } = readClusters(clustersFolder, name === undefined ? [] : [name]);
  const [named, ...more] = clusters;
  if (!named || problems.length > 0) return { problems, diffs: [] };
  if (more.length > 0) {
    const message = `has ${clusters.length} clusters; name the one to compare: ${inSentence(clusters.map((each) => each.name))}`;
    return { problems: [{ file: clustersFolder, message }], diffs: [] };
  }
  const renderedCluster = renderCluster(named.cluster);
  const rendered = renderedCluster.components.flatMap(({ objects }) => objects);
  const ask = (args: readonly string[], input?: string) => kubectl(args, context, input);

  const served = ask(["api-resources", "--verbs=list", "-o", "name"]);
  // It also fails if the server of a single API is down, and prints the others.
  if (served.stdout === "")
    return { problems: [{ message: served.failure ?? "kubectl prints no resources" }], diffs: [] };
  const applied = dryRun(rendered, fieldManager, ask);
  if (rendered.length > 0 && applied.objects.length === 0) {
    const { failures } = applied;
    return { problems: (failures.length > 0 ? failures : ["kubectl prints no objects"]).map(toProblem), diffs: [] };
  }
  // An object that the server refuses is a problem, not a deletion.
  const isAccepted = memberOf(applied.objects);
  const refused = (rendered as readonly KubernetesObject[]).filter((object) => !isAccepted(identity(object)));
  const there = present(applied.objects, ask);
  const ours = own(served.stdout.split("\n"), ask);
  const listed = [there, ours];
  // Why these cannot be asked for, such as that there is no such kind, is told already.
  const known = distinct([...listed, present(refused, ask)].flatMap(({ objects }) => objects));
  const others = mounted(known, ask);
  const before = [...known, ...others.objects];
  const proxy = otherMode(named.cluster.kubeProxyMode, ask);
  const missing = refused.length > 0 && applied.failures.length === 0;
  const failures = [
    ...(served.failure !== undefined && lacksBuiltIn(served.stdout.split("\n")) ? [served.failure] : []),
    ...(missing ? [`kubectl did not say what becomes of ${refused.map(identity).join(", ")}`] : []),
    ...[applied, ...listed, others, proxy].flatMap((run) => run.failures),
  ];

  // Not compared, as they may be in another cluster: they say what is pruned.
  const next = Object.values(gitOpsOf(named, renderedCluster)).flat() as readonly KubernetesObject[];
  const controllers = { before: appliersOf(ours.objects, next), after: next };
  const all = [...before, ...controllers.before];
  const old = { objects: all, inForce: inForceIn(all) };
  const now = inForce(named.cluster);
  const versionWith = (some: readonly KubernetesObject[]) => ({
    objects: [...applied.objects, ...some, ...controllers.after],
    inForce: now,
  });
  // The server fills in nothing that it refuses.
  const inPlace = refused.flatMap((object) =>
    known.filter((each) => identity(each) === identity(object)).map((each) => withFixedFields(each, object)),
  );
  const isUncompared = memberOf([...controllers.before, ...controllers.after]);
  // What is kept from pruning is left of an earlier description, and stays; as does what was never ours.
  const stays = memberOf([...known.filter(({ metadata }) => isKept(metadata.annotations)), ...others.objects]);
  const objects = changes(old, versionWith(inPlace)).filter(
    ({ what, object }) => !isUncompared(object) && !(what === "deleted" && stays(object)),
  );
  const warnings = [...steps(old.inForce, now), ...leaveFlux(old, versionWith(refused)), ...proxy.warnings];
  return {
    problems: failures.map(toProblem),
    diffs: objects.length + warnings.length > 0 ? [{ name: named.name, steps: warnings, objects, kubelet: [] }] : [],
  };
}

/** Whether kube-proxy runs in another mode than the cluster file says. */
function otherMode(said: KubeProxyMode, ask: Ask): { readonly warnings: Step[]; readonly failures: string[] } {
  const { stdout, failure } = ask(["get", "configmaps,daemonsets", "--namespace", namespace, "-o", "json"]);
  if (failure !== undefined) return { warnings: [], failures: [failure] };
  try {
    const { evidence = [] } = otherProxyMode(findProxy(readState(stdout)), said) ?? {};
    const warnings = evidence.map(({ mode, source }) =>
      warning(
        "correct-proxy-mode",
        `kubeProxyMode is ${said}, but ${source} says ${mode}: rules for another mode do not fit the node`,
      ),
    );
    return { warnings, failures: [] };
  } catch (error) {
    return { warnings: [], failures: [`kubectl get configmaps,daemonsets: ${(error as Error).message}`] };
  }
}

type Ask = (args: readonly string[], input?: string) => KubectlRun;

interface Answer {
  readonly objects: readonly KubernetesObject[];
  readonly failures: readonly string[];
}

/** The objects as they would be after applying them. */
function dryRun(objects: readonly object[], fieldManager: string, ask: Ask): Answer {
  const options = ["--server-side", "--force-conflicts", "--dry-run=server", "--field-manager", fieldManager];
  return inParts(objects, (some) => ask(["apply", ...options, "-o", "json", "-f", "-"], asList(some)));
}

/** Those of the objects that exist, as they are now. */
function present(objects: readonly object[], ask: Ask): Answer {
  return inParts(objects, (some) => ask(["get", "--ignore-not-found", "-o", "json", "-f", "-"], asList(some)));
}

/** Of ever fewer, as kubectl prints nothing if one of them fails. */
function inParts(objects: readonly object[], run: (some: readonly object[]) => KubectlRun): Answer {
  if (objects.length === 0) return { objects: [], failures: [] };
  const answer = answerOf(run(objects));
  if (answer.failures.length === 0 || objects.length === 1) return answer;
  const half = Math.ceil(objects.length / 2);
  const halves = [objects.slice(0, half), objects.slice(half)].map((some) => inParts(some, run));
  return {
    objects: halves.flatMap((each) => each.objects),
    failures: halves.flatMap((each) => each.failures),
  };
}

/** All objects that we ever applied, apart from Secrets. */
function own(served: readonly string[], ask: Ask): Answer {
  const kinds = served.filter((kind) => ownKinds.includes(kind));
  const selector = Object.entries(commonLabels).map(([key, value]) => `${key}=${value}`);
  return answerOf(ask(["get", kinds.join(","), "--all-namespaces", "-l", selector.join(","), "-o", "json"]), true);
}

/** What workloads mount that somebody else applied, such as kubeadm's Corefile: ours takes its place. */
function mounted(objects: readonly KubernetesObject[], ask: Ask): Answer {
  const known = new Set(objects.filter(({ kind }) => kind === "ConfigMap").map(({ metadata }) => metadata.name));
  const workloads = objects.filter((object) => isWorkload(object) && object.spec);
  const names = [...new Set(workloads.flatMap((each) => mountedConfigMaps(podTemplate(each).spec)))].filter(
    (name) => !known.has(name),
  );
  if (names.length === 0) return { objects: [], failures: [] };
  return answerOf(ask(["get", "configmaps", "--namespace", namespace, ...names, "--ignore-not-found", "-o", "json"]));
}

function asList(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}

/** @param isSorted Oldest first: of several configurations, the newest is the one that is replaced. */
function answerOf({ stdout, failure }: KubectlRun, isSorted = false): Answer {
  if (failure !== undefined) return { objects: [], failures: [failure] };
  const { objects, failures } = printedBy(stdout);
  return {
    objects: (isSorted ? objects.toSorted((a, b) => (createdAt(a) < createdAt(b) ? -1 : 1)) : objects).map(asApplied),
    failures,
  };
}

function printedBy(stdout: string): { readonly objects: readonly KubernetesObject[]; readonly failures: string[] } {
  try {
    return { objects: objectsOf(stdout.trim() === "" ? undefined : JSON.parse(stdout)), failures: [] };
  } catch {
    return { objects: [], failures: [`kubectl did not print objects, but ${show(stdout.slice(0, 100))}`] };
  }
}

function createdAt({ metadata }: KubernetesObject): string {
  return isMapping(metadata) ? String(metadata["creationTimestamp"]) : "";
}

function distinct(objects: readonly KubernetesObject[]): KubernetesObject[] {
  return [...new Map(objects.map((object) => [identity(object), object])).values()];
}

function memberOf(objects: readonly KubernetesObject[]): (name: string) => boolean {
  const names = new Set(objects.map(identity));
  return (name) => names.has(name);
}

function toProblem(message: string): LocatedProblem {
  return { message };
}

/** Where to look for objects that are no longer rendered; Secrets stay unread. */
const ownKinds = [
  "serviceaccounts",
  "services",
  "configmaps",
  "deployments.apps",
  "daemonsets.apps",
  "jobs.batch",
  "poddisruptionbudgets.policy",
  "networkpolicies.networking.k8s.io",
  "roles.rbac.authorization.k8s.io",
  "rolebindings.rbac.authorization.k8s.io",
  "clusterroles.rbac.authorization.k8s.io",
  "clusterrolebindings.rbac.authorization.k8s.io",
  "validatingadmissionpolicies.admissionregistration.k8s.io",
  "validatingadmissionpolicybindings.admissionregistration.k8s.io",
  "mutatingadmissionpolicies.admissionregistration.k8s.io",
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "ciliumlocalredirectpolicies.cilium.io",
  "certificates.cert-manager.io",
  "issuers.cert-manager.io",
  "servicemonitors.monitoring.coreos.com",
  "podmonitors.monitoring.coreos.com",
  "prometheusrules.monitoring.coreos.com",
];

/** Whether Kubernetes' own kinds are missing; others may be, such as those of a CRD or of a metrics server that is down. */
function lacksBuiltIn(served: readonly string[]): boolean {
  const isBuiltIn = (kind: string) =>
    /^\w+$|\.(apps|batch|policy|networking\.k8s\.io|rbac\.authorization\.k8s\.io)$/.test(kind);
  return ownKinds.some((kind) => isBuiltIn(kind) && !served.includes(kind));
}

/** Without what the server keeps for itself, and without secrets. */
function asApplied({ status, ...object }: KubernetesObject): KubernetesObject {
  const { metadata } = object;
  return {
    ...object,
    ...(object.kind === "Secret" && { data: undefined }),
    ...(object.kind === "DaemonSet" && { status }),
    ...(object.kind === "Job" && isMapping(object.spec) && { spec: withoutOwnPods(object.spec) }),
    metadata: {
      ...without(metadata, ofServer),
      annotations: without(metadata.annotations ?? {}, ["deprecated.daemonset.template.generation"]),
    },
  } as object as KubernetesObject;
}

/** How the server tells a Job's pods from others: by an identifier that each dry run makes anew. */
function withoutOwnPods({ selector: _selector, ...spec }: { readonly [key: string]: unknown }): object {
  const template = isMapping(spec["template"]) ? spec["template"] : {};
  const metadata = isMapping(template["metadata"]) ? template["metadata"] : {};
  const labels = without(isMapping(metadata["labels"]) ? metadata["labels"] : {}, ofJob);
  return { ...spec, template: { ...template, metadata: { ...metadata, labels } } };
}

const ofJob = ["controller-uid", "job-name"].flatMap((label) => [label, `batch.kubernetes.io/${label}`]);

const ofServer = ["managedFields", "resourceVersion", "uid", "generation", "creationTimestamp"];

function without(mapping: object, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(mapping).filter(([key]) => !keys.includes(key)));
}
