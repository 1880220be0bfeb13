// The parts of Kubernetes' objects that the checks read, as the API server returns them.

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: { readonly [label: string]: string };
  readonly annotations?: { readonly [annotation: string]: string };
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly controller?: boolean }[];
}

export interface Node {
  readonly metadata: Metadata;
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly {
      readonly key: string;
      readonly value?: string;
      readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
    }[];
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly nodeInfo?: { readonly kubeletVersion?: string };
  };
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export interface Namespace {
  readonly metadata: Metadata;
}

export interface PodSpec {
  readonly nodeName?: string;
  readonly hostNetwork?: boolean;
  readonly dnsPolicy?: string;
  readonly dnsConfig?: { readonly nameservers?: readonly string[]; readonly searches?: readonly string[] };
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly { readonly configMap?: { readonly name?: string; readonly optional?: boolean } }[];
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly args?: readonly string[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly resources?: { readonly limits?: { readonly memory?: string } };
}

export interface Pod {
  readonly metadata: Metadata;
  readonly spec: PodSpec;
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly conditions?: readonly Condition[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: object;
  readonly terminated?: {
    readonly reason?: string;
    readonly message?: string;
    readonly exitCode?: number;
    readonly finishedAt?: string;
  };
}

export interface Service {
  readonly metadata: Metadata;
  readonly spec: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly selector?: { readonly [label: string]: string };
    readonly ports?: readonly ServicePort[];
    readonly internalTrafficPolicy?: string;
  };
}

interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
  readonly targetPort?: number | string;
}

export interface EndpointSlice {
  readonly metadata: Metadata;
  readonly endpoints?:
    | readonly { readonly addresses: readonly string[]; readonly conditions?: { readonly ready?: boolean } }[]
    | null;
}

export interface ConfigMap {
  readonly metadata: Metadata;
  readonly immutable?: boolean;
  readonly data?: { readonly [key: string]: string };
}

/** A Deployment or a DaemonSet. */
export interface Workload {
  readonly kind: "Deployment" | "DaemonSet";
  readonly metadata: Metadata;
  readonly spec: {
    readonly replicas?: number;
    readonly selector?: { readonly matchLabels?: { readonly [label: string]: string } };
    readonly template: { readonly spec: PodSpec };
  };
  readonly status?: { readonly desiredNumberScheduled?: number; readonly conditions?: readonly Condition[] };
}

export interface Job {
  readonly metadata: Metadata;
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface Event {
  readonly metadata: Metadata;
  readonly involvedObject: { readonly kind?: string; readonly name?: string };
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string;
  /** Of events by the newer API, such as the scheduler's. */
  readonly eventTime?: string;
}

export interface WebhookConfiguration {
  readonly kind: string;
  readonly metadata: Metadata;
  readonly webhooks?: readonly {
    readonly name: string;
    readonly failurePolicy?: string;
    readonly clientConfig: {
      readonly caBundle?: string;
      readonly service?: { readonly name: string; readonly namespace: string; readonly port?: number };
    };
  }[];
}

export interface NetworkPolicy {
  readonly metadata: Metadata;
  readonly spec: { readonly podSelector?: LabelSelector };
}

interface LabelSelector {
  readonly matchLabels?: { readonly [label: string]: string };
  readonly matchExpressions?: readonly object[];
}

/** `kube-system/coredns`. */
export function idOf({ metadata: { namespace, name } }: { readonly metadata: Metadata }): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** `kube-system/coredns-0 on node-1`. */
export function placeOf(pod: Pod): string {
  const { nodeName } = pod.spec;
  return nodeName === undefined ? idOf(pod) : `${idOf(pod)} on ${nodeName}`;
}

export function nodesOf(pods: readonly Pod[]): string[] {
  return [...new Set(pods.flatMap(({ spec }) => spec.nodeName ?? []))];
}

/** Whether labels have every label of a selector; an empty selector has no pods. */
export function selects(selector: { readonly [label: string]: string } = {}, { labels = {} }: Metadata): boolean {
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

/** Whether a selector may have pods with these labels: an empty one has all, and expressions are not looked at. */
export function selectsPods(
  { matchLabels = {} }: LabelSelector = {},
  labels: { readonly [label: string]: string },
): boolean {
  return Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
}

export function isReady({ metadata, status }: Pod): boolean {
  const isTrue = status?.conditions?.some((each) => each.type === "Ready" && each.status === "True") ?? false;
  return metadata.deletionTimestamp === undefined && isTrue;
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

/** The ConfigMaps that a pod cannot start without. */
export function configMapsOf({ volumes = [] }: PodSpec): string[] {
  return volumes.flatMap(({ configMap }) =>
    configMap?.name === undefined || configMap.optional === true ? [] : [configMap.name],
  );
}
