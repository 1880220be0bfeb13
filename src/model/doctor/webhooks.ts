import { X509Certificate } from "node:crypto";
import { leastCertificateDays } from "../cluster/monitoring";
import type { CertificateRequest, WebhookConfiguration } from "../kubernetes/kinds";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { names, namespace } from "../object-names";
import { grouped } from "../syntax/grouped";
import { show } from "../syntax/show";
import { orElse } from "../syntax/or-else";
import { some } from "../syntax/some";
import { type Described, running } from "./described";
import { isSame } from "./drift";
import { atEach, atPods, type Finding, finding, type Findings } from "./finding";
import type { FindingId } from "./findings";
import type { Patient } from "./patient";
import { kubectl, look, noted, type Step, type Steps, system } from "./steps";

/** Whether the API server trusts the webhook, and for how long. */
export function webhooks(patient: Patient): Findings {
  const ours = patient.rendered<WebhookConfiguration>("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration");
  if (!patient.described || ours.length === 0) return [];
  const issuing = issuingOf(patient.described);
  const issued = lastIssued(patient);
  const live = (patient.state.webhooks ?? []).filter((each) => ours.some((one) => isSame(one, each)));
  return [
    live.map((each) => trust(each, patient.state.now, issuing, issued)),
    otherTrust(live, patient.state.now),
    certificates(patient, issuing, issued),
  ];
}

/** Commands that show who makes certificates, and who writes `caBundle`. */
interface Issuing {
  readonly certificate: Step | undefined;
  readonly caBundle: Steps;
}

function issuingOf({ cluster }: Described): Issuing {
  const comment = "who writes caBundle says here why it does not";
  if (cluster.components.webhook?.certificates === "self-managed")
    return { certificate: undefined, caBundle: noted(system`logs -l k8s-app=${names.webhook} --tail=50`, comment) };
  const certificate = system`describe certificate.cert-manager.io ${names.webhook}`;
  const cainjector = kubectl`logs -n cert-manager -l app.kubernetes.io/component=cainjector --tail=50`;
  return { certificate, caBundle: [certificate, noted(cainjector, comment)] };
}

/** Whether a request of cert-manager's is for the webhook's certificate. */
export function isOfWebhook({ metadata: { annotations = {} } }: KubernetesObject): boolean {
  return annotations["cert-manager.io/certificate-name"] === names.webhook;
}

/** The certificate that cert-manager issued last, and its intermediates; none if the webhook has its own. */
function lastIssued(patient: Patient): X509Certificate[] {
  const requests = (running(patient.state, "CertificateRequest") ?? []) as readonly CertificateRequest[];
  const revision = ({ metadata }: KubernetesObject) =>
    Number(metadata.annotations?.["cert-manager.io/certificate-revision"] ?? 0);
  const last = requests.filter(({ status }) => status?.certificate).toSorted((a, b) => revision(b) - revision(a))[0];
  return certificatesOf(last?.status?.certificate ?? "");
}

function trust(
  configuration: WebhookConfiguration,
  now: Date,
  issuing: Issuing,
  issued: readonly X509Certificate[],
): Findings {
  const bundles = grouped(configuration.webhooks ?? [], ({ clientConfig }) => clientConfig.caBundle ?? "");
  return bundles.map(([bundle, same]) => {
    const { id, evidence } = faultOf(bundle, now, issued) ?? {};
    const told = `caBundle of ${some(same.map(({ name }) => name))} ${evidence}`;
    return id && finding(id, identity(configuration), told, [look(configuration), issuing.caBundle]);
  });
}

function faultOf(
  bundle: string,
  now: Date,
  issued: readonly X509Certificate[],
): { readonly id: FindingId; readonly evidence: string } | undefined {
  if (bundle === "")
    return {
      id: "trusts-nothing",
      evidence: "is empty: the API server cannot call the webhook, and admits everything",
    };
  const authorities = certificatesOf(bundle);
  const valid = authorities.filter((each) => isValid(each, now));
  if (valid.length === 0) {
    const ended = authorities.map((each) => `${show(each.subject)}, valid from ${each.validFrom} to ${each.validTo}`);
    const evidence = ended.length === 0 ? "has no certificate that can be read" : `has only ${ended.join(", ")}`;
    return { id: "trusts-nothing-valid", evidence };
  }
  const [served] = issued;
  if (!served || issued.some((each) => valid.some((authority) => isSignedBy(each, authority)))) return undefined;
  const trusted = some(valid.map(({ subject }) => show(subject)));
  const evidence = `trusts ${trusted}; ${show(served.issuer)} signed the webhook's certificate, with another key or name`;
  return { id: "trusts-others", evidence };
}

/** @returns Nothing for what is not a certificate. */
function certificatesOf(caBundle: string): X509Certificate[] {
  const text = Buffer.from(caBundle, "base64").toString("utf8");
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => orElse(() => new X509Certificate(block), []));
}

function isSignedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  if (certificate.fingerprint256 === authority.fingerprint256) return true;
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

function isValid({ validFrom, validTo }: X509Certificate, now: Date): boolean {
  return new Date(validFrom) <= now && new Date(validTo) > now;
}

/**
 * All of them call the same server. One may trust more than another: cert-manager keeps the authorities that it finds, and
 * rotation adds the next one.
 */
function otherTrust(configurations: readonly WebhookConfiguration[], now: Date): Finding | undefined {
  const bundles = configurations.flatMap(({ webhooks: all = [] }) =>
    all.flatMap(({ clientConfig }) => clientConfig.caBundle || []),
  );
  const trusted = [...new Set(bundles)].map((each) =>
    certificatesOf(each)
      .filter((certificate) => isValid(certificate, now))
      .map(({ fingerprint256 }) => fingerprint256),
  );
  const [first = [], ...others] = trusted;
  if (others.length === 0 || first.some((each) => others.every((other) => other.includes(each)))) return undefined;
  return finding(
    "trusts-differ",
    atEach(configurations.map(identity)),
    "no valid certificate is in all of their caBundle: right only for a minute, while one replaces another",
    configurations.map(look),
  );
}

/** From the metrics of the servers, or else from what cert-manager issued: Secrets are never read. */
function certificates(patient: Patient, { certificate }: Issuing, [issued]: readonly X509Certificate[]): Finding[] {
  const served = patient.podsOfApp(names.webhook).flatMap((pod) => {
    const samples = patient.state.metrics.get(pod.metadata.name) ?? [];
    const valueOf = (metric: string) =>
      samples.find(({ name }) => name === `cluster_dns_webhook_${metric}`)?.value ?? 0;
    const expiry = valueOf("certificate_expiry_timestamp_seconds");
    const failed = `; ${valueOf("certificate_errors_total")} rounds failed to renew it`;
    const log = system`logs ${pod.metadata.name} --tail=50`;
    return expiry === 0 ? [] : [{ place: atPods([pod]), until: new Date(expiry * 1000), failed, log }];
  });
  const place = `Certificate ${namespace}/${names.webhook}`;
  const known =
    served.length === 0 && issued ? [{ place, until: new Date(issued.validTo), failed: "", log: undefined }] : served;
  const { webhook } = patient.cluster?.components ?? {};
  const daysLeft = (until: Date) => (until.getTime() - patient.state.now.getTime()) / 86_400_000;
  return known
    .filter(({ until }) => webhook && daysLeft(until) <= leastCertificateDays(webhook))
    .map(({ place: at, until, failed, log }) =>
      finding(
        daysLeft(until) <= 0 ? "certificate-expired" : "certificate-expires",
        at,
        `valid until ${until.toISOString()}${failed}`,
        [log, certificate],
      ),
    );
}
