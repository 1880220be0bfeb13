import type { Container, Pod, PodSpec, Volume, VolumeConfigMap, Workload } from "./kinds";
import { type KubernetesObject, namespacedName } from "./object";

/** `kube-system/coredns-0 on node-1` */
export function placeOf(pod: Pod): string {
  const { nodeName } = pod.spec;
  return nodeName === undefined ? namespacedName(pod) : `${namespacedName(pod)} on ${nodeName}`;
}

export function nodesOf(pods: readonly Pod[]): string[] {
  return [...new Set(pods.flatMap(({ spec }) => spec.nodeName ?? []))];
}

export function isReady({ metadata, status }: Pod): boolean {
  const isTrue = status?.conditions?.some((each) => each.type === "Ready" && each.status === "True") ?? false;
  return metadata.deletionTimestamp === undefined && isTrue;
}

/** Milliseconds since the epoch; undefined unless the pod is ready, and says since when. */
export function readySince({ status }: Pod): number | undefined {
  const ready = status?.conditions?.find((each) => each.type === "Ready" && each.status === "True");
  return ready?.lastTransitionTime === undefined ? undefined : new Date(ready.lastTransitionTime).getTime();
}

/** Whether a pod is of a Deployment, through one of its ReplicaSets, or of a DaemonSet; labels anybody can copy. */
export function isOf(
  { kind, metadata: { name } }: Workload,
  { metadata: { ownerReferences = [], labels } }: Pod,
): boolean {
  const replicaSet = `${name}-${labels?.["pod-template-hash"] ?? ""}`;
  return ownerReferences.some((owner) =>
    kind === "DaemonSet"
      ? owner.kind === "DaemonSet" && owner.name === name
      : owner.kind === "ReplicaSet" && owner.name === replicaSet,
  );
}

/** Whether a pod is meant to run: not one that has ended, nor one that is being deleted. */
export function isCurrent({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== "Succeeded" && status?.phase !== "Failed";
}

export function podTemplate({ spec }: Pick<KubernetesObject, "spec">): Required<Marks> & { readonly spec: PodSpec } {
  const { template } = (spec ?? {}) as { template?: { metadata?: Marks; spec?: Partial<PodSpec> } };
  const { labels = {}, annotations = {} } = template?.metadata ?? {};
  return { labels, annotations, spec: { containers: [], ...template?.spec } };
}

type Marks = Pick<KubernetesObject["metadata"], "labels" | "annotations">;

/** Those that run before the others, too. */
export function containersOf({ initContainers = [], containers }: PodSpec): readonly Container[] {
  return [...initContainers, ...containers];
}

/** The number of a container's port, by its name or itself; undefined if no container has the name. */
export function portOf({ containers }: PodSpec, port: number | string | undefined): number | undefined {
  const ports = containers.flatMap(({ ports: own = [] }) => own);
  return typeof port === "string" ? ports.find(({ name }) => name === port)?.containerPort : port;
}

/** The ConfigMaps that a pod cannot start without. */
export function mountedConfigMaps({ volumes = [] }: PodSpec): string[] {
  return volumes
    .flatMap(sourcesOf)
    .flatMap((configMap) => (configMap?.name === undefined || configMap.optional === true ? [] : [configMap.name]))
    .filter((name) => name !== ofEveryPod);
}

/** The API server mounts it in every pod with an account. */
const ofEveryPod = "kube-root-ca.crt";

/** The ConfigMaps whose files a volume has; undefined for a source of another kind. */
export function sourcesOf({ configMap, projected }: Volume): (VolumeConfigMap | undefined)[] {
  return projected ? (projected.sources ?? []).map((source) => source.configMap) : [configMap];
}
