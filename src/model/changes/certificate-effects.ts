import { inDocs } from "../docs";
import type { KubernetesObject } from "../kubernetes/object";
import { names, namespace } from "../object-names";
import type { Step } from "./step";

const fromCertManager = "cert-manager.io/inject-ca-from";
const withoutDns = "pods may start without their tenant's DNS";
const where = inDocs("webhook", "Certificates");

/** What may happen once cert-manager issues the certificate of the webhook that gives pods their DNS. */
export function certificateEffects(before: KubernetesObject, after: KubernetesObject): string[] {
  return isIssued(before) === false && isIssued(after) === true
    ? [`${withoutDns} for up to three minutes with cert-manager before 1.19 (${where})`]
    : [];
}

/** What is done before that webhook issues its certificate itself. */
export function certificateByHand(before: KubernetesObject, after: KubernetesObject): Step[] {
  if (isIssued(before) !== true || isIssued(after) !== false) return [];
  const command = `kubectl delete secret ${names.webhook} --namespace ${namespace} --ignore-not-found`;
  const what = `before the commit, delete a certificate from earlier, or ${withoutDns}: ${command} (${where})`;
  return [{ when: "before", what }];
}

/** Whether cert-manager issues the certificate; undefined for other objects. */
function isIssued({ kind, metadata }: KubernetesObject): boolean | undefined {
  return kind === "MutatingWebhookConfiguration" ? metadata.annotations?.[fromCertManager] !== undefined : undefined;
}
