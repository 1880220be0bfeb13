import type {
  KubeClusterRoleBindingProps,
  KubeClusterRoleProps,
  KubeConfigMapProps,
  KubeDaemonSetProps,
  KubeDeploymentProps,
  KubeHorizontalPodAutoscalerV2Props,
  KubeJobProps,
  KubeNetworkPolicyProps,
  KubePodDisruptionBudgetProps,
  KubeRoleBindingProps,
  KubeRoleProps,
  KubeSecretProps,
  KubeServiceAccountProps,
  KubeServiceProps,
} from "cdk8s-plus-27/lib/imports/k8s";
import type { WebhookEntry } from "../model/admission/webhook/webhook-configurations";
import type { Stage } from "../model/gitops/annotations";
import type { Plain } from "./plain";

/** The kinds of objects that components add, each with its fields other than `metadata`. */
export interface Fields {
  readonly ServiceAccount: FieldsOf<KubeServiceAccountProps>;
  readonly ClusterRole: FieldsOf<KubeClusterRoleProps>;
  readonly ClusterRoleBinding: FieldsOf<KubeClusterRoleBindingProps>;
  readonly Role: FieldsOf<KubeRoleProps>;
  readonly RoleBinding: FieldsOf<KubeRoleBindingProps>;
  readonly ConfigMap: FieldsOf<KubeConfigMapProps>;
  readonly Secret: FieldsOf<KubeSecretProps>;
  readonly Service: FieldsOf<KubeServiceProps> & { readonly spec: { readonly trafficDistribution?: string } };
  readonly NetworkPolicy: FieldsOf<KubeNetworkPolicyProps>;
  readonly Deployment: FieldsOf<KubeDeploymentProps>;
  readonly DaemonSet: FieldsOf<KubeDaemonSetProps>;
  readonly Job: FieldsOf<KubeJobProps>;
  readonly HorizontalPodAutoscaler: FieldsOf<KubeHorizontalPodAutoscalerV2Props>;
  readonly PodDisruptionBudget: FieldsOf<KubePodDisruptionBudgetProps>;
  readonly PriorityLevelConfiguration: Spec;
  readonly FlowSchema: Spec;
  readonly ValidatingAdmissionPolicy: Spec;
  readonly ValidatingAdmissionPolicyBinding: Spec;
  readonly MutatingAdmissionPolicy: Spec;
  readonly MutatingAdmissionPolicyBinding: Spec;
  readonly ValidatingWebhookConfiguration: { readonly webhooks: readonly WebhookEntry[] };
  readonly MutatingWebhookConfiguration: { readonly webhooks: readonly WebhookEntry[] };
  readonly Issuer: Spec;
  readonly Certificate: Spec;
  readonly CiliumLocalRedirectPolicy: Spec;
  readonly PodMonitor: Spec;
  readonly ServiceMonitor: Spec;
  readonly PrometheusRule: Spec;
}

type FieldsOf<Props> = Omit<Plain<Props>, "metadata">;

interface Spec {
  readonly spec: object;
}

interface KindFacts {
  readonly apiVersion: string;
  readonly isClusterScoped?: true;
  /** When it is applied; by default with its component. */
  readonly stage?: Stage;
}

const rbac = "rbac.authorization.k8s.io/v1";
const admission = "admissionregistration.k8s.io/v1";
const flowControl = "flowcontrol.apiserver.k8s.io/v1";
const prometheus = "monitoring.coreos.com/v1";
const certManager = "cert-manager.io/v1";

export const kinds: { readonly [kind in keyof Fields]: KindFacts } = {
  ServiceAccount: { apiVersion: "v1", stage: "access" },
  ClusterRole: { apiVersion: rbac, stage: "access", isClusterScoped: true },
  ClusterRoleBinding: { apiVersion: rbac, stage: "access", isClusterScoped: true },
  Role: { apiVersion: rbac, stage: "access" },
  RoleBinding: { apiVersion: rbac, stage: "access" },
  ConfigMap: { apiVersion: "v1", stage: "config" },
  Secret: { apiVersion: "v1", stage: "config" },
  Service: { apiVersion: "v1", stage: "config" },
  NetworkPolicy: { apiVersion: "networking.k8s.io/v1", stage: "config" },
  Deployment: { apiVersion: "apps/v1" },
  DaemonSet: { apiVersion: "apps/v1" },
  Job: { apiVersion: "batch/v1" },
  HorizontalPodAutoscaler: { apiVersion: "autoscaling/v2" },
  PodDisruptionBudget: { apiVersion: "policy/v1" },
  PriorityLevelConfiguration: { apiVersion: flowControl, isClusterScoped: true, stage: "access" },
  FlowSchema: { apiVersion: flowControl, isClusterScoped: true, stage: "access" },
  ValidatingAdmissionPolicy: { apiVersion: admission, isClusterScoped: true },
  ValidatingAdmissionPolicyBinding: { apiVersion: admission, isClusterScoped: true },
  MutatingAdmissionPolicy: { apiVersion: admission, isClusterScoped: true },
  MutatingAdmissionPolicyBinding: { apiVersion: admission, isClusterScoped: true },
  ValidatingWebhookConfiguration: { apiVersion: admission, isClusterScoped: true, stage: "webhookConfigurations" },
  MutatingWebhookConfiguration: { apiVersion: admission, isClusterScoped: true, stage: "webhookConfigurations" },
  Issuer: { apiVersion: certManager, stage: "config" },
  Certificate: { apiVersion: certManager, stage: "config" },
  CiliumLocalRedirectPolicy: { apiVersion: "cilium.io/v2", stage: "nodeAgents" },
  PodMonitor: { apiVersion: prometheus },
  ServiceMonitor: { apiVersion: prometheus },
  PrometheusRule: { apiVersion: prometheus },
};
