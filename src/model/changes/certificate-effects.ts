import { inDocs } from "../docs";
import { names } from "../object-names";
import type { AppliedObject } from "./applied-object";

const fromCertManager = "cert-manager.io/inject-ca-from";

/** What may happen while the webhook that gives pods their DNS takes its certificate from elsewhere. */
export function certificateEffects(before: AppliedObject, after: AppliedObject): string[] {
  if (after.kind !== "MutatingWebhookConfiguration") return [];
  const [had, has] = [before, after].map(({ metadata }) => metadata.annotations?.[fromCertManager] !== undefined);
  if (had === has) return [];
  const when = has
    ? "for up to three minutes with cert-manager before 1.19"
    : `if Secret ${names.webhook} has a certificate from earlier: delete it before the commit`;
  return [`pods may start without their tenant's DNS ${when} (${inDocs("webhook", "Certificates")})`];
}
