import { longestExpression, tooLongExpression } from "../admission/expression-length";
import { needsWebhook } from "../admission/plan";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { howToGetAgentImage } from "./needs";
import { about, type Given } from "./report";

export function admissionRules({ props, cluster, said }: Given): Problem[] {
  const { admission, agentImage, kubernetesVersion } = props;
  if (!admission || !cluster?.admission) return [];
  const { allowedUsers = [], webhook, podDNSConfig } = admission;
  const options: unknown[] = Object.values(podDNSConfig?.options ?? {});
  const wanted = needsWebhook(cluster.admission);
  const issuer = webhook?.issuerRef?.name;
  const { tenants } = props.tenancy ?? { tenants: [] };
  // Without valid tenants there is nothing to measure; that they are missing or malformed is already reported.
  const tooLong = tenants && allowedUsers.length > 0 ? tooLongExpression(cluster.admission) : undefined;
  const sufficient = props.tenancy || podDNSConfig ? "1.36" : "1.30";
  const instead =
    admission.placementGuard || said.admission?.enforcement === "webhook"
      ? ""
      : `if the cluster has Kubernetes ${sufficient} or newer, set kubernetesVersion: "${sufficient}" (${kubernetesVersion === undefined ? "none is set" : `got ${show(kubernetesVersion)}`}), and policies do all of it; if not, `;
  return [
    ...about(
      (tenants?.length ?? 0) > allowedUsers.length ? ["tenancy", "tenants"] : ["admission", "allowedUsers"],
    ).when(
      tooLong !== undefined,
      `make an expression of ${tooLong?.length} characters in ${tooLong?.name}, where the API server takes ${longestExpression}; name fewer, or shorter ones`,
    ),
    ...about(["admission"]).when(
      wanted && agentImage === undefined,
      `needs agentImage: its webhook is needed here; ${instead}${howToGetAgentImage}`,
    ),
    ...about(["admission", "webhook"]).when(
      !wanted && webhook !== undefined,
      "has no effect: policies do all of it; leave it out, or set enforcement: webhook",
    ),
    ...about(["admission", "podDNSConfig", "options"]).when(
      options.length > 0 && options.every((value) => value === false),
      "set nothing; set one, such as ndots: 2, or leave podDNSConfig out",
    ),
    ...about(["admission", "webhook", "issuerRef"]).when(
      issuer !== undefined && webhook?.certificates !== "cert-manager",
      "has no effect without certificates: cert-manager; leave it out, or add that",
    ),
  ];
}
