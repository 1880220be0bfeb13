import type { AdmissionPlan } from "../admission/plan";
import { defaults, withDefaults } from "../defaults";
import type { IssuerReference, WebhookOptions } from "../props/admission";
import { placementOf, type Placement } from "./placement";

/** Settings of the webhook's Deployment. */
export interface WebhookSettings {
  readonly image: string;
  readonly replicas: number;
  readonly placement: Placement;
  /** With cert-manager: the named issuer, or one that we create. */
  readonly certificates: "self-managed" | { readonly issuerRef: Required<IssuerReference> | undefined };
  readonly tasks: AdmissionPlan["webhook"];
}

export function webhookSettings(
  options: WebhookOptions | undefined,
  image: string,
  tasks: AdmissionPlan["webhook"],
): WebhookSettings {
  const { replicas, certificates, issuerRef, nodePlacement, ...unread } = withDefaults(options, defaults.webhook);
  unread satisfies { readonly [key: string]: never };
  return {
    image,
    replicas,
    placement: placementOf(nodePlacement, []),
    certificates:
      certificates === "cert-manager"
        ? { issuerRef: issuerRef && withDefaults(issuerRef, defaults.issuerRef) }
        : certificates,
    tasks,
  };
}
