import type { AdmissionPlan } from "../admission/plan";
import type { FullWebhook } from "../full-props/fill-in";
import type { Placement } from "../full-props/placement";
import type { IssuerReference } from "../props/admission";

/** Settings of the webhook's Deployment. */
export interface WebhookSettings {
  readonly image: string;
  readonly replicas: number;
  readonly placement: Placement;
  /** With cert-manager: the named issuer, or one that we create. */
  readonly certificates: "self-managed" | { readonly issuerRef: Required<IssuerReference> | undefined };
  readonly tasks: AdmissionPlan["webhook"];
}

export function webhookSettings(said: FullWebhook, image: string, tasks: AdmissionPlan["webhook"]): WebhookSettings {
  const { replicas, certificates, issuerRef, nodePlacement: placement, ...unread } = said;
  unread satisfies { readonly [key: string]: never };
  return {
    image,
    replicas,
    placement,
    certificates: certificates === "cert-manager" ? { issuerRef } : certificates,
    tasks,
  };
}
