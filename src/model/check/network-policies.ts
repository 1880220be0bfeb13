import type { ClusterDnsProps } from "../props/cluster-dns";
import { isDNSLabel } from "../syntax/names";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { when } from "./report";

/** Namespaces that can exist. */
export function networkPolicyRules({ networkPolicies }: ClusterDnsProps): Problem[] {
  const { metricsNamespaces = [] } = typeof networkPolicies === "object" ? networkPolicies : {};
  return metricsNamespaces.flatMap((namespace, i) =>
    when(
      !isDNSLabel(namespace),
      ["networkPolicies", "metricsNamespaces", i],
      `${show(namespace)} is not the name of a namespace; accepted: lower case letters, digits and -, at most 63`,
    ),
  );
}
