import { defaults } from "../defaults";
import type { ClusterDnsProps } from "../props/cluster-dns";

/** Settings of the network policies. */
export interface NetworkPolicySettings {
  /** Whether only the webhook has one. */
  readonly onlyWebhook: boolean;
  /** Whose pods may read metrics; undefined: everybody. */
  readonly metricsNamespaces: readonly string[] | undefined;
}

/** Undefined: no policies. */
export function networkPolicySettings({
  networkPolicies: given,
  monitoring,
}: Pick<ClusterDnsProps, "networkPolicies" | "monitoring">): NetworkPolicySettings | undefined {
  if (given === false) return undefined;
  if (given === undefined) return { onlyWebhook: true, metricsNamespaces: undefined };
  const { metricsNamespaces, ...unread } = given === true ? {} : given;
  unread satisfies { readonly [key: string]: never };
  return { onlyWebhook: false, metricsNamespaces: metricsNamespaces ?? besideMonitors(monitoring) };
}

function besideMonitors(monitoring: ClusterDnsProps["monitoring"]): readonly string[] {
  return monitoring?.namespace === undefined ? defaults.metricsNamespaces : [monitoring.namespace];
}
