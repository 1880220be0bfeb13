import type { ApiObject } from "cdk8s";
import type { KubeSecretProps } from "cdk8s-plus-27/lib/imports/k8s";
import type { Construct } from "constructs";
import { webhookName } from "../model/admission/webhook-configurations";
import { keep, wave } from "../model/gitops";
import type { WebhookOptions } from "../model/props/admission";
import type { ClusterFacts } from "../model/props/cluster-facts";
import { addObject, namespace, type Metadata } from "./api-object";

const certManager = "cert-manager.io";

interface IssuerProps {
  readonly metadata: Metadata;
  readonly spec: { readonly selfSigned: object } | { readonly ca: { readonly secretName: string } };
}

interface CertificateProps {
  readonly metadata: Metadata;
  readonly spec: {
    readonly secretName: string;
    readonly issuerRef: { readonly group: string; readonly kind: string; readonly name: string };
    readonly [field: string]: unknown;
  };
}

/** The names by which the API server calls the webhook. */
export const webhookDnsNames = [`${webhookName}.${namespace}.svc`];

/**
 * The Secret that the webhook fills. It is applied empty, because the right to create Secrets cannot be limited to a name, and
 * kept: without it no replica that starts could serve.
 */
export function selfManagedSecret(scope: Construct, facts: ClusterFacts): ApiObject {
  return addObject<KubeSecretProps>(scope, facts, ["v1", "Secret"], {
    metadata: { name: webhookName, namespace, annotations: { ...wave("config"), ...keep } },
    type: "Opaque",
  });
}

/** cert-manager's Certificate for the webhook, and the authority that signs it unless there is an issuer already. */
export function certManagerCertificate(
  scope: Construct,
  facts: ClusterFacts,
  { issuerRef }: WebhookOptions,
): ApiObject[] {
  const annotations = wave("config");
  const authority = `${webhookName}-ca`;
  const privateKey = { algorithm: "ECDSA", size: 256, rotationPolicy: "Always" };
  const ofKind = (name: string, kind = "Issuer") => ({ group: certManager, kind, name });
  const issuer = (name: string, spec: IssuerProps["spec"]) =>
    addObject<IssuerProps>(scope, facts, [`${certManager}/v1`, "Issuer"], {
      metadata: { name, namespace, annotations },
      spec,
    });
  const certificate = (name: string, spec: CertificateProps["spec"]) =>
    addObject<CertificateProps>(scope, facts, [`${certManager}/v1`, "Certificate"], {
      metadata: { name, namespace, annotations },
      spec,
    });

  const own = issuerRef
    ? []
    : [
        issuer(`${webhookName}-selfsigned`, { selfSigned: {} }),
        certificate(authority, {
          secretName: authority,
          isCA: true,
          commonName: authority,
          duration: "8760h0m0s",
          privateKey,
          issuerRef: ofKind(`${webhookName}-selfsigned`),
        }),
        issuer(authority, { ca: { secretName: authority } }),
      ];
  return [
    ...own,
    certificate(webhookName, {
      secretName: webhookName,
      dnsNames: webhookDnsNames,
      // A week, renewed when two days and some are left: cert-manager's own webhook does so.
      duration: "168h0m0s",
      renewBefore: "56h0m0s",
      privateKey,
      usages: ["digital signature", "server auth"],
      issuerRef: issuerRef ? ofKind(issuerRef.name, issuerRef.kind) : ofKind(authority),
    }),
  ];
}
