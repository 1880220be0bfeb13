import { inDocs } from "../docs";
import type { KubernetesObject } from "../kubernetes/object";

/** What gives pods their tenant's DNS, by who does. */
const kinds: { readonly [kind: string]: string } = {
  MutatingWebhookConfiguration: "the webhook",
  MutatingAdmissionPolicy: "policies",
};

/** What may happen while one takes over from the other: a controller may delete the old one before the new one is in force. */
export function movingAdmission(object: KubernetesObject, gone: readonly KubernetesObject[]): string[] {
  const to = kinds[object.kind];
  const from = gone.map(({ kind }) => kinds[kind]).find((each) => each !== undefined);
  if (to === undefined || from === undefined || from === to) return [];
  return [
    `admission moves from ${from} to ${to}: pods that are created meanwhile may lack their tenant's DNS; npx cdk8s-cluster-dns doctor names them (${inDocs("admission-policies", "From webhook to policies, and back")})`,
  ];
}
