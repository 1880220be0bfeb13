import { X509Certificate } from "node:crypto";
import { leastCertificateDays } from "../cluster/monitoring";
import type { CertificateRequest, Pod, WebhookConfiguration } from "../kubernetes/kinds";
import { identity, type KubernetesObject } from "../kubernetes/object";
import type { Sample } from "../kubernetes/samples";
import { names, namespace } from "../object-names";
import { grouped } from "../syntax/grouped";
import { show } from "../syntax/show";
import { dense } from "../syntax/sparse";
import { orElse } from "../syntax/or-else";
import { some } from "../syntax/some";
import { applying, type Described, running } from "./described";
import { isSame } from "./drift";
import { atEach, atPods, type Finding, finding, type Findings } from "./finding";
import type { FindingId } from "./findings";
import type { Patient } from "./patient";
import { kubectl, look, noted, type Suggestion, type Suggestions, system } from "./suggestions";

/** Whether the API server trusts the webhook, and for how long. */
export function webhooks(patient: Patient): Findings {
  const ours = patient.rendered<WebhookConfiguration>("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration");
  if (!patient.described || ours.length === 0) return [];
  const issuing = issuingOf(patient.described);
  const issued = lastIssued(patient);
  const live = (patient.state.webhooks ?? []).filter((each) => ours.some((one) => isSame(one, each)));
  const { now } = patient.state;
  const distrusted = dense(live.map((each) => trust(each, now, issuing, { issued, issuers: issuersOf(patient) })));
  return [
    distrusted,
    distrusted.length === 0 && otherTrust(live, now),
    certificates(patient, issuing, issued),
    failing(patient, patient.described),
  ];
}

/** What is known of the certificates that are served. */
interface Served {
  /** By cert-manager, last. */
  readonly issued: readonly X509Certificate[];
  /** The authorities of those that the pods made and serve, each with a name of its own. */
  readonly issuers: readonly string[];
}

function samplesOf(pod: Pod, metric: string, { state }: Patient): readonly Sample[] {
  return (state.metrics.get(pod.metadata.name) ?? []).filter(({ name }) => name === `cluster_dns_webhook_${metric}`);
}

function issuersOf(patient: Patient): string[] {
  // Of cert-manager's, it may be an intermediate, which no caBundle has.
  if (patient.cluster?.components.webhook?.certificates !== "self-managed") return [];
  const samples = patient.podsOfApp(names.webhook).flatMap((pod) => samplesOf(pod, "certificate_issuer", patient));
  return [...new Set(samples.map(({ labels }) => labels["issuer"] ?? ""))];
}

/** One that starts later serves nothing, and none is renewed. */
function failing(patient: Patient, described: Described): Finding | undefined {
  const told = patient.podsOfApp(names.webhook).flatMap((pod) => {
    const [sample] = samplesOf(pod, "certificate_failing", patient);
    return sample ? [{ pod, isFailing: sample.value === 1 }] : [];
  });
  const [first] = told;
  if (!first || !told.every(({ isFailing }) => isFailing)) return undefined;
  return finding(
    "certificate-failing",
    atPods(told.map(({ pod }) => pod)),
    "they keep what they have: a pod that starts from now on gets no certificate, and does not become ready",
    [
      system`logs ${first.pod.metadata.name} --tail=50`,
      noted(system`get secret ${names.webhook} -o name`, "where they share it, if they make it themselves"),
      applying(described),
    ],
  );
}

/** Commands that show who makes certificates, and who writes `caBundle`. */
interface Issuing {
  readonly certificate: Suggestion | undefined;
  readonly caBundle: Suggestions;
}

function issuingOf({ cluster }: Described): Issuing {
  const comment = "who writes caBundle says here why it does not";
  const right = (secret: string, key: string) => `the right authority is ${key} in Secret ${namespace}/${secret}`;
  if (cluster.components.webhook?.certificates === "self-managed") {
    const caBundle = [
      noted(system`logs -l k8s-app=${names.webhook} --tail=50`, comment),
      right(names.webhook, "ca.crt"),
      noted(system`rollout restart deployment ${names.webhook}`, "each pod writes caBundle as it starts"),
    ];
    return { certificate: undefined, caBundle };
  }
  const certificate = system`describe certificate.cert-manager.io ${names.webhook}`;
  const cainjector = kubectl`logs -n cert-manager -l app.kubernetes.io/component=cainjector --tail=50`;
  const restart = kubectl`rollout restart deployment cert-manager-cainjector -n cert-manager`;
  const caBundle = [certificate, noted(cainjector, comment), right(`${names.webhook}-tls`, "ca.crt"), restart];
  return { certificate, caBundle };
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

function trust(configuration: WebhookConfiguration, now: Date, issuing: Issuing, served: Served): Findings {
  const bundles = grouped(configuration.webhooks ?? [], ({ clientConfig }) => clientConfig.caBundle ?? "");
  return bundles.map(([bundle, same]) => {
    const { id, evidence } = faultOf(bundle, now, served) ?? {};
    const told = grouped(same, ({ failurePolicy = "Fail" }) => failurePolicy).map(
      ([policy, all]) =>
        `the API server can call none of ${some(all.map(({ name }) => name))}: failurePolicy ${policy} ${outcomes[policy] ?? ""}`,
    );
    const what = `caBundle of ${some(same.map(({ name }) => name))} ${evidence}`;
    return id && finding(id, identity(configuration), [what, told], [look(configuration), issuing.caBundle]);
  });
}

const outcomes: { readonly [policy: string]: string } = {
  Ignore: "admits what they should review",
  Fail: "refuses what they should review",
};

function faultOf(
  bundle: string,
  now: Date,
  { issued, issuers }: Served,
): { readonly id: FindingId; readonly evidence: string } | undefined {
  if (bundle === "")
    return {
      id: "trusts-nothing",
      evidence: "is empty",
    };
  const why = whyTrustsNothing(bundle, now);
  if (why !== undefined) return { id: "trusts-nothing-valid", evidence: why };
  const valid = certificatesOf(bundle).filter((each) => isValid(each, now));
  const [served] = issued;
  const isTrusted = (issuer: string) => valid.some(({ subject }) => subject === issuer);
  const isIssued = issued.some((each) => valid.some((authority) => isSignedBy(each, authority)));
  const isOther = served ? !isIssued : issuers.length > 0 && !issuers.some(isTrusted);
  if (!isOther) return undefined;
  const trusted = some(valid.map(({ subject }) => show(subject)));
  const by = served ? `${show(served.issuer)} signed` : `${some(issuers.map((each) => show(each)))} signed`;
  return {
    id: "trusts-others",
    evidence: `trusts ${trusted}; ${by} the webhook's certificate, with another key or name`,
  };
}

/** Undefined if a certificate of a `caBundle` is valid. */
export function whyTrustsNothing(bundle: string, now: Date): string | undefined {
  const authorities = certificatesOf(bundle);
  if (authorities.some((each) => isValid(each, now))) return undefined;
  const ended = authorities.map((each) => `${show(each.subject)}, valid from ${each.validFrom} to ${each.validTo}`);
  return ended.length === 0 ? "has no certificate that can be read" : `has only ${ended.join(", ")}`;
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
    const valueOf = (metric: string) => samplesOf(pod, metric, patient)[0]?.value ?? 0;
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
