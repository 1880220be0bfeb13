import { kinds } from "../constructs/kinds";
import { objectsOf, isWorkload, type KubernetesObject, type Fields } from "../model/kubernetes/object";
import { mountedConfigMaps, podTemplate } from "../model/kubernetes/pods";
import { resourceOf } from "../model/kubernetes/resource";
import { commonLabels, namespace } from "../model/object-names";
import { show } from "../model/syntax/show";
import type { KubectlRun } from "./kubectl";
import { isMapping, withoutKeys } from "../model/syntax/mapping";

export type Ask = (args: readonly string[], input?: string) => KubectlRun;

interface Answer {
  readonly objects: readonly KubernetesObject[];
  readonly failures: readonly string[];
}

export function dryRun(objects: readonly object[], fieldManager: string, ask: Ask): Answer {
  const options = ["--server-side", "--force-conflicts", "--dry-run=server", "--field-manager", fieldManager];
  return inParts(objects, (some) => ask(["apply", ...options, "-o", "json", "-f", "-"], asList(some)));
}

export function present(objects: readonly object[], ask: Ask): Answer {
  return inParts(objects, (some) => ask(["get", "--ignore-not-found", "-o", "json", "-f", "-"], asList(some)));
}

/** All objects that we ever applied, apart from Secrets, the oldest first: of several configurations, the newest is replaced. */
export function own(served: ReadonlySet<string>, ask: Ask): Answer {
  const resources = ownResources.filter((each) => served.has(each));
  const selector = Object.entries(commonLabels).map(([key, value]) => `${key}=${value}`);
  return answerOf(ask(["get", resources.join(","), "--all-namespaces", "-l", selector.join(","), "-o", "json"]), byAge);
}

function byAge({ metadata: a }: KubernetesObject, { metadata: b }: KubernetesObject): number {
  return (a.creationTimestamp ?? "").localeCompare(b.creationTimestamp ?? "");
}

const ownResources = Object.entries(kinds)
  .filter(([kind]) => kind !== "Secret")
  .map(([kind, { apiVersion }]) => resourceOf(apiVersion, kind));

/** Whether Kubernetes' own kinds are missing; others may be, such as those of a CRD or of a metrics server that is down. */
export function lacksBuiltIn(served: ReadonlySet<string>): boolean {
  const isBuiltIn = (resource: string) =>
    /^\w+$|\.(apps|batch|policy|networking\.k8s\.io|rbac\.authorization\.k8s\.io)$/.test(resource);
  return ownResources.some((each) => isBuiltIn(each) && !served.has(each));
}

/** What workloads mount that somebody else applied, such as kubeadm's Corefile: ours takes its place. */
export function mounted(objects: readonly KubernetesObject[], ask: Ask): Answer {
  const known = new Set(objects.filter(({ kind }) => kind === "ConfigMap").map(({ metadata }) => metadata.name));
  const all = objects.filter(isWorkload).flatMap((each) => mountedConfigMaps(podTemplate(each).spec));
  const names = [...new Set(all)].filter((name) => !known.has(name));
  if (names.length === 0) return { objects: [], failures: [] };
  return answerOf(ask(["get", "configmaps", "--namespace", namespace, ...names, "--ignore-not-found", "-o", "json"]));
}

/** Of ever fewer, as kubectl prints nothing if one of them fails. */
function inParts(objects: readonly object[], run: (some: readonly object[]) => KubectlRun): Answer {
  if (objects.length === 0) return { objects: [], failures: [] };
  const answer = answerOf(run(objects));
  if (answer.failures.length === 0 || objects.length === 1) return answer;
  const half = Math.ceil(objects.length / 2);
  const [first, second] = [inParts(objects.slice(0, half), run), inParts(objects.slice(half), run)];
  return {
    objects: [...first.objects, ...second.objects],
    failures: [...first.failures, ...second.failures],
  };
}

function asList(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}

function answerOf({ stdout, failure }: KubectlRun, order: typeof byAge = () => 0): Answer {
  if (failure !== undefined) return { objects: [], failures: [failure] };
  try {
    const objects = objectsOf(stdout.trim() === "" ? undefined : JSON.parse(stdout));
    return { objects: objects.toSorted(order).map(asApplied), failures: [] };
  } catch {
    return { objects: [], failures: [`kubectl did not print objects, but ${show(stdout.slice(0, 100))}`] };
  }
}

/** An object of a cluster without what the server and kubectl keep for themselves, and without secrets. */
function asApplied({ status, ...object }: KubernetesObject): KubernetesObject {
  const { metadata, kind, spec } = object;
  return {
    ...withoutKeys(object, kind === "Secret" ? ["data"] : []),
    // How many nodes it is on.
    ...(kind === "DaemonSet" && status && { status }),
    ...(kind === "Job" && spec && { spec: withoutOwnPods(spec) }),
    metadata: {
      ...withoutKeys(metadata, ["managedFields", "resourceVersion", "uid", "generation", "creationTimestamp"]),
      annotations: withoutKeys(metadata.annotations ?? {}, [
        "deprecated.daemonset.template.generation",
        // The object once more.
        "kubectl.kubernetes.io/last-applied-configuration",
      ]),
    },
  };
}

/** How the server tells a Job's pods from others: by an identifier that each dry run makes anew. */
function withoutOwnPods({ selector: _selector, ...spec }: Fields): Fields {
  const template = isMapping(spec["template"]) ? spec["template"] : {};
  const metadata = isMapping(template["metadata"]) ? template["metadata"] : {};
  const labels = withoutKeys(isMapping(metadata["labels"]) ? metadata["labels"] : {}, ofJob);
  return { ...spec, template: { ...template, metadata: { ...metadata, labels } } };
}

const ofJob = ["controller-uid", "job-name"].flatMap((label) => [label, `batch.kubernetes.io/${label}`]);
