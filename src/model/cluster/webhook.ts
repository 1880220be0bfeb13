import type { AdmissionPlan } from "../admission/plan";
import type { FullWebhook } from "../full-props/fill-in";

/** Settings of the webhook's Deployment. */
export interface WebhookSettings extends FullWebhook {
  readonly image: string;
  readonly tasks: AdmissionPlan["webhook"];
}
