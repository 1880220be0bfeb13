import type { AdmissionPlan } from "../admission/plan";
import { defaults, withDefaults } from "../defaults";
import type { IssuerReference, WebhookOptions } from "../props/admission";
import { placementOf, type Placement } from "./placement";

/** What the webhook's Deployment is told. */
export interface WebhookSettings {
  readonly image: string;
  readonly replicas: number;
  readonly placement: Placement;
  /** `cert-manager` with the issuer that is named, or with one of its own. */
  readonly certificates: "self-managed" | { readonly issuerRef: Required<IssuerReference> | undefined };
  readonly tasks: AdmissionPlan["webhook"];
}

export function webhookSettings(
  options: WebhookOptions | undefined,
  image: string,
  tasks: AdmissionPlan["webhook"],
): WebhookSettings {
  const { replicas, certificates, issuerRef, nodePlacement } = withDefaults(options, defaults.webhook);
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
