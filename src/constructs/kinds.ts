import type * as k8s from "cdk8s-plus-27/lib/imports/k8s";
import type { WebhookEntry } from "../model/admission/webhook/webhook-configurations";
import type { Stage } from "../model/gitops/annotations";
import type { Plain } from "./plain";

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
  ServiceAccount: namespaced<Of<k8s.KubeServiceAccountProps>>("v1", "access"),
  ClusterRole: clusterScoped<Of<k8s.KubeClusterRoleProps>>(rbac, "access"),
  ClusterRoleBinding: clusterScoped<Of<k8s.KubeClusterRoleBindingProps>>(rbac, "access"),
  Role: namespaced<Of<k8s.KubeRoleProps>>(rbac, "access"),
  RoleBinding: namespaced<Of<k8s.KubeRoleBindingProps>>(rbac, "access"),
  ConfigMap: namespaced<Of<k8s.KubeConfigMapProps>>("v1", "config"),
  Secret: namespaced<Of<k8s.KubeSecretProps>>("v1", "config"),
  Service: namespaced<Of<k8s.KubeServiceProps> & { readonly spec: { readonly trafficDistribution?: string } }>(
    "v1",
    "config",
  ),
  NetworkPolicy: namespaced<Of<k8s.KubeNetworkPolicyProps>>("networking.k8s.io/v1", "config"),
  Deployment: namespaced<Of<k8s.KubeDeploymentProps>>("apps/v1"),
  DaemonSet: namespaced<Of<k8s.KubeDaemonSetProps>>("apps/v1"),
  Job: namespaced<Of<k8s.KubeJobProps>>("batch/v1"),
  HorizontalPodAutoscaler: namespaced<Of<k8s.KubeHorizontalPodAutoscalerV2Props>>("autoscaling/v2", "loadAutoscaler"),
  PodDisruptionBudget: namespaced<Of<k8s.KubePodDisruptionBudgetProps>>("policy/v1"),
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
