import { namespaceNameLabel } from "../admission/policies/policy";
import type { LabelSelector } from "../kubernetes/kinds";

/** The parts of a NetworkPolicy (networking.k8s.io/v1) that ours have. Without peers or without ports: any. */
export interface NetworkPolicyEgressRule {
  readonly to?: readonly NetworkPolicyPeer[];
  readonly ports?: readonly NetworkPolicyPort[];
}

export interface NetworkPolicyIngressRule {
  readonly from?: readonly NetworkPolicyPeer[];
  readonly ports?: readonly NetworkPolicyPort[];
}

export interface NetworkPolicyPeer {
  readonly ipBlock?: { readonly cidr: string };
  readonly namespaceSelector?: LabelSelector;
  readonly podSelector?: LabelSelector;
}

export interface NetworkPolicyPort {
  readonly protocol: "TCP" | "UDP";
  /** @default - every port */
  readonly port?: number;
}

export function inNamespace(name: string): Pick<NetworkPolicyPeer, "namespaceSelector"> {
  return { namespaceSelector: { matchLabels: { [namespaceNameLabel]: name } } };
}

export const dnsPort = 53;

/** A port for DNS, which is asked with either protocol. */
export function atPort(port: number): NetworkPolicyPort[] {
  return [
    { protocol: "UDP", port },
    { protocol: "TCP", port },
  ];
}
