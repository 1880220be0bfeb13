import type { KubernetesObject } from "../../../../rig/cluster/kubectl";

// Objects that somebody makes by hand.

export function inKubeSystem(apiVersion: string, kind: string, name: string, fields: object): KubernetesObject {
  return { apiVersion, kind, metadata: { name, namespace: "kube-system" }, ...fields };
}

export function corefileOf(name: string, corefile: string): KubernetesObject {
  return inKubeSystem("v1", "ConfigMap", name, { data: { Corefile: corefile } });
}

/** Of the pods of CoreDNS. */
export function policy(name: string, spec: object): KubernetesObject {
  const podSelector = { matchLabels: { "k8s-app": "kube-dns" } };
  return inKubeSystem("networking.k8s.io/v1", "NetworkPolicy", name, { spec: { podSelector, ...spec } });
}
