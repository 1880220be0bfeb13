import { type AdmissionPlan, hasPolicies, needsWebhook } from "../admission/plan";
import type { FullProps } from "../full-props/fill-in";
import type { AuthoritativeDnsSettings } from "./authoritative-dns";
import type { Facts } from "./facts";
import { nodeLocalDnsComponents } from "./node-local-dns";
import { nodeResolverSettings } from "./node-resolver";
import { smokeTestSettings } from "./smoke-test";

// By these, the package's declarations find theirs.
export type { NodeLocalDnsSettings } from "./node-local-dns";
export type { SmokeTestSettings } from "./smoke-test";

export type Components = ReturnType<typeof componentsOf>;

export type WebhookSettings = NonNullable<Components["webhook"]>;

/** The settings of each component that a cluster has; those of monitoring follow from the others. */
export function componentsOf(
  said: FullProps,
  facts: Facts,
  authoritativeDns: AuthoritativeDnsSettings | undefined,
  admission: AdmissionPlan | undefined,
) {
  const { agentImage, nodeResolver } = said;
  const ofNodes = nodeLocalDnsComponents(said, facts);
  return {
    tenancy: said.tenancy,
    federation: said.federation,
    authoritativeDns,
    ...ofNodes,
    nodeResolver: nodeResolver && agentImage ? nodeResolverSettings(nodeResolver, agentImage, said) : undefined,
    admissionPolicies: admission && hasPolicies(admission) ? admission.policies : undefined,
    webhook:
      admission && needsWebhook(admission) && said.admission && agentImage
        ? { ...said.admission.webhook, image: agentImage, tasks: admission.webhook }
        : undefined,
    smokeTest: smokeTestSettings(said, facts, authoritativeDns, ofNodes.nodeLocalDns),
  };
}
