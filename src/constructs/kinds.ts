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

/** A kind of objects that components add. */
interface Kind<Held> {
  readonly apiVersion: string;
  readonly isClusterScoped?: true;
  /** When it is applied; by default with its component. */
  readonly stage?: Stage;
  /** What its objects have other than `metadata`: a type alone. */
  readonly fields?: Held;
}

type Of<Props> = Omit<Plain<Props>, "metadata">;

interface Spec {
  readonly spec: object;
}

interface Webhooks {
  readonly webhooks: readonly WebhookEntry[];
}

const rbac = "rbac.authorization.k8s.io/v1";
const admission = "admissionregistration.k8s.io/v1";
const flowControl = "flowcontrol.apiserver.k8s.io/v1";
const prometheus = "monitoring.coreos.com/v1";
const certManager = "cert-manager.io/v1";

export const kinds = {
  ServiceAccount: namespaced<Of<KubeServiceAccountProps>>("v1", "access"),
  ClusterRole: clusterScoped<Of<KubeClusterRoleProps>>(rbac, "access"),
  ClusterRoleBinding: clusterScoped<Of<KubeClusterRoleBindingProps>>(rbac, "access"),
  Role: namespaced<Of<KubeRoleProps>>(rbac, "access"),
  RoleBinding: namespaced<Of<KubeRoleBindingProps>>(rbac, "access"),
  ConfigMap: namespaced<Of<KubeConfigMapProps>>("v1", "config"),
  Secret: namespaced<Of<KubeSecretProps>>("v1", "config"),
  Service: namespaced<Of<KubeServiceProps> & { readonly spec: { readonly trafficDistribution?: string } }>(
    "v1",
    "config",
  ),
  NetworkPolicy: namespaced<Of<KubeNetworkPolicyProps>>("networking.k8s.io/v1", "config"),
  Deployment: namespaced<Of<KubeDeploymentProps>>("apps/v1"),
  DaemonSet: namespaced<Of<KubeDaemonSetProps>>("apps/v1"),
  Job: namespaced<Of<KubeJobProps>>("batch/v1"),
  HorizontalPodAutoscaler: namespaced<Of<KubeHorizontalPodAutoscalerV2Props>>("autoscaling/v2", "loadAutoscaler"),
  PodDisruptionBudget: namespaced<Of<KubePodDisruptionBudgetProps>>("policy/v1"),
  PriorityLevelConfiguration: clusterScoped<Spec>(flowControl, "access"),
  FlowSchema: clusterScoped<Spec>(flowControl, "access"),
  ValidatingAdmissionPolicy: clusterScoped<Spec>(admission),
  ValidatingAdmissionPolicyBinding: clusterScoped<Spec>(admission),
  MutatingAdmissionPolicy: clusterScoped<Spec>(admission),
  MutatingAdmissionPolicyBinding: clusterScoped<Spec>(admission),
  ValidatingWebhookConfiguration: clusterScoped<Webhooks>(admission, "webhookConfigurations"),
  MutatingWebhookConfiguration: clusterScoped<Webhooks>(admission, "webhookConfigurations"),
  Issuer: namespaced<Spec>(certManager, "config"),
  Certificate: namespaced<Spec>(certManager, "config"),
  CiliumLocalRedirectPolicy: namespaced<Spec>("cilium.io/v2", "nodeAgents"),
  PodMonitor: namespaced<Spec>(prometheus),
  ServiceMonitor: namespaced<Spec>(prometheus),
  PrometheusRule: namespaced<Spec>(prometheus),
};

/** What objects of each kind have other than `metadata`. */
export type Fields = { readonly [kind in keyof typeof kinds]: NonNullable<(typeof kinds)[kind]["fields"]> };

function namespaced<Held>(apiVersion: string, stage?: Stage): Kind<Held> {
  return { apiVersion, ...(stage && { stage }) };
}

function clusterScoped<Held>(apiVersion: string, stage?: Stage): Kind<Held> {
  return { ...namespaced(apiVersion, stage), isClusterScoped: true };
}
