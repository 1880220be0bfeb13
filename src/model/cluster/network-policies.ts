import type { FullProps } from "../full-props/fill-in";

/** Settings of the network policies. */
export interface NetworkPolicySettings {
  /** Whether only the webhook has one. */
  readonly onlyWebhook: boolean;
  /** Whose pods may read metrics; undefined: everybody. */
  readonly metricsNamespaces: readonly string[] | undefined;
}

/** Undefined: no policies. */
export function networkPolicySettings({
  networkPolicies: said,
}: Pick<FullProps, "networkPolicies">): NetworkPolicySettings | undefined {
  if (said === false) return undefined;
  if (said === undefined) return { onlyWebhook: true, metricsNamespaces: undefined };
  return { onlyWebhook: false, ...said };
}
