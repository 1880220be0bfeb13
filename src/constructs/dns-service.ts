import type { ServicePort } from "cdk8s-plus-27/lib/imports/k8s";
import type { Plain } from "./api-object";

/** Label of the pods that answer the cluster domain; kubeadm and every cloud use it, so ours takes over in place. */
export const authoritativeLabels = { "k8s-app": "kube-dns" } as const;

/** Ports of a DNS Service; their names are part of kube-proxy's chain names. */
export const dnsServicePorts: readonly Plain<ServicePort>[] = [
  { name: "dns", port: 53, protocol: "UDP", targetPort: 53 },
  { name: "dns-tcp", port: 53, protocol: "TCP", targetPort: 53 },
];
