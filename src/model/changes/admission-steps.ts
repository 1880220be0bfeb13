import { clusterDns, kubectl, printCommand } from "../command";
import { inDocs } from "../docs";
import { names, namespace } from "../object-names";
import { byHand, effect, type Step } from "../steps/step";
import type { KubernetesObject } from "../kubernetes/object";

const withoutDns = "pods may start without the DNS that admission gives them";
const certificates = inDocs("webhook", "Certificates");

/** What changes with whoever issues the certificate of the webhook that gives pods their DNS. */
export function certificateSteps(before: KubernetesObject, after: KubernetesObject): Step[] {
  const [was, is] = [isFromCertManager(before), isFromCertManager(after)];
  if (was === is) return [];
  if (is) {
    const text = `${withoutDns} for up to three minutes with cert-manager before 1.19 (${certificates})`;
    return [effect("issue-certificate", text)];
  }
  const text = `before the commit, delete a certificate from earlier, or ${withoutDns} (${certificates})`;
  const remove = kubectl("delete", "secret", names.webhook, "--namespace", namespace, "--ignore-not-found");
  return [byHand("delete-certificate", "before", text, remove)];
}

/** False for every object but the webhook's. */
function isFromCertManager({ kind, metadata }: KubernetesObject): boolean {
  return (
    kind === "MutatingWebhookConfiguration" && metadata.annotations?.["cert-manager.io/inject-ca-from"] !== undefined
  );
}

const kinds: { readonly [kind: string]: string } = {
  MutatingWebhookConfiguration: "the webhook",
  MutatingAdmissionPolicy: "policies",
};

/** What may happen while one takes over from the other: a controller may delete the old one before the new one is in force. */
export function moveAdmission(object: KubernetesObject, gone: readonly KubernetesObject[]): Step | undefined {
  const to = kinds[object.kind];
  const from = gone.map(({ kind }) => kinds[kind]).find((each) => each !== undefined);
  if (to === undefined || from === undefined || from === to) return undefined;
  return effect(
    "move-admission",
    `admission moves from ${from} to ${to}. Pods that are created meanwhile may lack the DNS that admission gives them: ${printCommand(clusterDns("doctor"))} names them (${inDocs("admission-policies", "From webhook to policies, and back")})`,
  );
}
