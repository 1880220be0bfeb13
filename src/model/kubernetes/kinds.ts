// The parts of Kubernetes' objects that are read, as the API server returns them.

import type { NodePlacement } from "../props/placement";
import type { Fields, KubernetesObject } from "./object";

export interface Node extends KubernetesObject {
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly Taint[];
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly nodeInfo?: { readonly kubeletVersion?: string };
  };
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  /** Of a node, by its own clock. */
  readonly lastHeartbeatTime?: string;
}

export type Namespace = KubernetesObject;

export interface PodSpec extends Fields, NodePlacement {
  readonly nodeName?: string;
  readonly hostNetwork?: boolean;
  readonly dnsPolicy?: string;
  readonly serviceAccountName?: string;
  readonly schedulerName?: string;
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly dnsConfig?: {
    readonly nameservers?: readonly string[];
    readonly searches?: readonly string[];
    readonly options?: readonly { readonly name?: string; readonly value?: string }[];
  };
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly Volume[];
}

export interface Volume {
  readonly name?: string;
  readonly configMap?: VolumeConfigMap;
  /** Several sources in one folder. */
  readonly projected?: { readonly sources?: readonly { readonly configMap?: VolumeConfigMap }[] };
}

export interface VolumeConfigMap {
  readonly name?: string;
  readonly optional?: boolean;
  readonly items?: readonly { readonly key: string; readonly path: string }[];
}

export interface Container extends Fields {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly { readonly name: string }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly resources?: { readonly limits?: { readonly memory?: string } };
}

export interface Pod extends KubernetesObject {
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
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: {
    readonly reason?: string;
    readonly message?: string;
    readonly exitCode?: number;
    readonly finishedAt?: string;
  };
}

export interface Service extends KubernetesObject {
  readonly spec: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly externalIPs?: readonly string[];
    readonly loadBalancerIP?: string;
    readonly selector?: { readonly [label: string]: string };
    readonly ports?: readonly ServicePort[];
    readonly internalTrafficPolicy?: string;
    readonly trafficDistribution?: string;
  };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] } };
}

export interface EndpointPort {
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: string;
}

interface ServicePort extends EndpointPort {
  readonly port: number;
  readonly targetPort?: number | string;
}

export interface Lease extends KubernetesObject {
  readonly spec?: { readonly renewTime?: string; readonly holderIdentity?: string };
}

export interface EndpointSlice extends KubernetesObject {
  readonly endpoints?:
    | readonly { readonly addresses: readonly string[]; readonly conditions?: { readonly ready?: boolean } }[]
    | null;
  readonly ports?: readonly EndpointPort[] | null;
}

export interface ConfigMap extends KubernetesObject {
  readonly immutable?: boolean;
}

/** A Deployment or a DaemonSet. */
export interface Workload extends KubernetesObject {
  readonly kind: "Deployment" | "DaemonSet";
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly selector?: { readonly matchLabels?: { readonly [label: string]: string } };
    readonly template: { readonly spec: PodSpec };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly updatedReplicas?: number;
    readonly updatedNumberScheduled?: number;
    readonly desiredNumberScheduled?: number;
    readonly conditions?: readonly Condition[];
  };
}

export interface Job extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface Event extends KubernetesObject {
  readonly involvedObject: { readonly kind?: string; readonly name?: string };
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string;
  /** Of events by the newer API, such as the scheduler's. */
  readonly eventTime?: string;
}

export interface WebhookConfiguration extends KubernetesObject {
  readonly webhooks?: readonly Webhook[];
}

export interface Webhook {
  readonly name: string;
  /** Fail, if it is not said. */
  readonly failurePolicy?: string;
  readonly clientConfig: {
    readonly caBundle?: string;
    readonly url?: string;
    readonly service?: { readonly name: string; readonly namespace: string; readonly port?: number };
  };
  readonly rules?: readonly {
    readonly apiGroups?: readonly string[];
    readonly operations?: readonly string[];
    readonly resources?: readonly string[];
    /** `Cluster`: objects of no namespace. */
    readonly scope?: string;
  }[];
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  /** In CEL. */
  readonly matchConditions?: readonly { readonly name: string }[];
}

export interface CertificateRequest extends KubernetesObject {
  /** `certificate`: PEM, in base64, with its intermediates. */
  readonly status?: { readonly certificate?: string };
}

export interface NetworkPolicy extends KubernetesObject {
  readonly spec: {
    readonly podSelector?: LabelSelector;
    readonly policyTypes?: readonly string[];
    readonly ingress?: readonly PolicyRule[];
    readonly egress?: readonly PolicyRule[];
  };
}

/** Without peers or without ports: any. */
export interface PolicyRule {
  readonly ports?: readonly PolicyPort[];
  /** Of egress: addresses, or pods. */
  readonly to?: readonly { readonly ipBlock?: object }[];
}

export interface PolicyPort {
  readonly protocol?: string;
  readonly port?: number | string;
  readonly endPort?: number;
}

export interface DisruptionBudget extends KubernetesObject {
  readonly spec: { readonly selector?: LabelSelector };
  readonly status?: {
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
    readonly expectedPods?: number;
  };
}

export interface Autoscaler extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface LabelSelector {
  readonly matchLabels?: { readonly [label: string]: string };
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}
