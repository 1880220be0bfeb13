import type { WebhookSettings } from "../model/cluster/components";
import { names, namespace } from "../model/object-names";

export const webhookDnsNames = [`${names.webhook}.${namespace}.svc`];

interface CertManagerObject {
  readonly kind: "Issuer" | "Certificate";
  readonly manifest: { readonly metadata: { readonly name: string }; readonly spec: object };
}

/** cert-manager fills it. Not the self-managed one: old replicas would overwrite it, and its type cannot change. */
export const certManagerSecret = `${names.webhook}-tls`;

/** cert-manager's Certificate for the webhook and, unless an issuer is given, the CA that signs it. */
export function certManagerObjects({ issuerRef }: Pick<WebhookSettings, "issuerRef">): CertManagerObject[] {
  const authority = `${names.webhook}-ca`;
  const selfSigned = `${names.webhook}-selfsigned`;
  const privateKey = { algorithm: "ECDSA", size: 256, rotationPolicy: "Always" };
  const reference = (name: string, kind = "Issuer") => ({ group: "cert-manager.io", kind, name });
  const own: CertManagerObject[] = [
    { kind: "Issuer", manifest: { metadata: { name: selfSigned }, spec: { selfSigned: {} } } },
    {
      kind: "Certificate",
      manifest: {
        metadata: { name: authority },
        spec: {
          secretName: authority,
          isCA: true,
          commonName: authority,
          duration: "8760h0m0s",
          privateKey,
          issuerRef: reference(selfSigned),
        },
      },
    },
    { kind: "Issuer", manifest: { metadata: { name: authority }, spec: { ca: { secretName: authority } } } },
  ];
  return [
    ...(issuerRef ? [] : own),
    {
      kind: "Certificate",
      manifest: {
        metadata: { name: names.webhook },
        spec: {
          secretName: certManagerSecret,
          dnsNames: webhookDnsNames,
          // A week, renewed with more than two days left, like cert-manager's own webhook.
          duration: "168h0m0s",
          renewBefore: "56h0m0s",
          privateKey,
          usages: ["digital signature", "server auth"],
          issuerRef: issuerRef ? reference(issuerRef.name, issuerRef.kind) : reference(authority),
        },
      },
    },
  ];
}
