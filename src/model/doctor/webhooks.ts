import { X509Certificate } from "node:crypto";
import type { Pod, WebhookConfiguration } from "../kubernetes/kinds";
import { nodesOf, placeOf } from "../kubernetes/pods";
import { selects } from "../kubernetes/selectors";
import { names, namespace } from "../object-names";
import { show } from "../syntax/show";
import { type Finding, some } from "./finding";
import { applying, type Described, type Observed, rendered, systemPods } from "./observed";

/** Whether the API server calls the webhook as described, trusts it, and for how long. */
export function webhooks(observed: Observed, described?: Described): Finding[] {
  const { webhooks: live } = observed;
  const wanted = rendered<WebhookConfiguration>(
    described,
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
  );
  if (!live || !described || wanted.length === 0) return [];
  const issuing = issuingOf(described);
  const found = wanted.map((each) =>
    live.find((one) => one.kind === each.kind && one.metadata.name === each.metadata.name),
  );
  return [
    ...wanted.flatMap((each, i) => {
      const one = found[i];
      return one ? [...calls(one, each, described), ...trust(one, observed.now, issuing)] : [missing(each, described)];
    }),
    ...otherTrust(
      found.flatMap((each) => each ?? []),
      observed.now,
    ),
    ...certificates(observed, issuing),
  ];
}

function missing(wanted: WebhookConfiguration, described: Described): Finding {
  return {
    severity: "error",
    title: "is missing",
    where: whereOf(wanted),
    evidence: ["the API server does not call the webhook: nothing of its work is done"],
    next: applying(described),
  };
}

/** Which Service is called, and what happens if it does not answer. */
function calls(is: WebhookConfiguration, wanted: WebhookConfiguration, described: Described): Finding[] {
  const evidence = (wanted.webhooks ?? []).flatMap((each) => {
    const one = is.webhooks?.find(({ name }) => name === each.name);
    if (!one) return [`${each.name} is missing`];
    const called = (webhook: typeof each) => {
      const { name, namespace: of, port = 443 } = webhook.clientConfig.service ?? { name: "", namespace: "" };
      return `${of}/${name}:${port}`;
    };
    return [
      ...(called(one) === called(each)
        ? []
        : [`${each.name} calls ${called(one)}, the cluster file renders ${called(each)}`]),
      ...(one.failurePolicy === each.failurePolicy
        ? []
        : [
            `${each.name}: failurePolicy is ${one.failurePolicy ?? "not set"}, the cluster file renders ${each.failurePolicy ?? "not set"}`,
          ]),
    ];
  });
  if (evidence.length === 0) return [];
  return [
    {
      severity: "error",
      title: "is not as described",
      where: whereOf(is),
      evidence,
      next: [look(is), ...applying(described)],
    },
  ];
}

/** Commands that show who makes certificates, and who writes `caBundle`. */
interface Issuing {
  readonly certificate: readonly string[];
  readonly caBundle: readonly string[];
}

function issuingOf({ cluster }: Described): Issuing {
  const says = "# who writes caBundle says here why it does not";
  if (cluster.components.webhook?.certificates === "self-managed")
    return {
      certificate: [],
      caBundle: [`kubectl logs -n ${namespace} -l k8s-app=${names.webhook} --tail=50  ${says}`],
    };
  const certificate = [`kubectl describe certificate.cert-manager.io ${names.webhook} -n ${namespace}`];
  const cainjector = "kubectl logs -n cert-manager -l app.kubernetes.io/component=cainjector --tail=50";
  return { certificate, caBundle: [...certificate, `${cainjector}  ${says}`] };
}

function trust(configuration: WebhookConfiguration, now: Date, issuing: Issuing): Finding[] {
  const all = configuration.webhooks ?? [];
  const where = whereOf(configuration);
  const next = [look(configuration), ...issuing.caBundle];
  const empty = all.filter(({ clientConfig }) => !clientConfig.caBundle).map(({ name }) => name);
  if (empty.length > 0)
    return [
      {
        severity: "error",
        title: "trusts no certificate",
        where,
        evidence: [
          `caBundle of ${some(empty)} is empty: the API server cannot call the webhook, and admits everything`,
        ],
        next,
      },
    ];
  const authorities = [...new Set(all.map(({ clientConfig }) => clientConfig.caBundle ?? ""))].flatMap(certificatesOf);
  if (authorities.some((each) => isValid(each, now))) return [];
  const evidence =
    authorities.length === 0
      ? ["caBundle has no certificate that can be read"]
      : authorities.map(({ subject, validTo }) => `${show(subject)} was valid until ${validTo}`);
  return [{ severity: "error", title: "trusts no valid certificate", where, evidence, next }];
}

/** @returns Nothing for what is not a certificate. */
function certificatesOf(caBundle: string): X509Certificate[] {
  const text = Buffer.from(caBundle, "base64").toString("utf8");
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
}

function isValid({ validTo }: X509Certificate, now: Date): boolean {
  return new Date(validTo) > now;
}

/**
 * All of them call the same server. One may trust more than another: cert-manager keeps the authorities that it finds, and
 * rotation adds the next one.
 */
function otherTrust(configurations: readonly WebhookConfiguration[], now: Date): Finding[] {
  const bundles = configurations.flatMap(({ webhooks: all = [] }) =>
    all.flatMap(({ clientConfig }) => clientConfig.caBundle || []),
  );
  const trusted = [...new Set(bundles)].map((each) =>
    certificatesOf(each)
      .filter((certificate) => isValid(certificate, now))
      .map(({ fingerprint256 }) => fingerprint256),
  );
  const [first = [], ...others] = trusted;
  if (others.length === 0 || first.some((each) => others.every((other) => other.includes(each)))) return [];
  return [
    {
      severity: "warning",
      title: "webhooks of one server trust different certificates",
      where: configurations.map(whereOf).join(", "),
      evidence: [
        "no valid certificate is in all of their caBundle: right only for a minute, while one replaces another",
      ],
      next: configurations.map(look),
    },
  ];
}

const day = 24 * 3600;

/** From the metrics of the servers: Secrets are never read. */
function certificates(observed: Observed, { certificate }: Issuing): Finding[] {
  const own = systemPods(observed).filter((pod: Pod) => selects({ "k8s-app": names.webhook }, pod.metadata));
  return own.flatMap((pod): Finding[] => {
    const samples = observed.metrics.get(pod.metadata.name) ?? [];
    const valueOf = (metric: string) =>
      samples.find(({ name }) => name === `cluster_dns_webhook_${metric}`)?.value ?? 0;
    const expiry = valueOf("certificate_expiry_timestamp_seconds");
    const left = expiry - observed.now.getTime() / 1000;
    if (expiry === 0 || left > day) return [];
    const until = new Date(expiry * 1000).toISOString();
    return [
      {
        severity: left <= 0 ? "error" : "warning",
        title: left <= 0 ? "serves a certificate that has expired" : "serves a certificate that expires within a day",
        nodes: nodesOf([pod]),
        where: `pod ${placeOf(pod)}`,
        evidence: [`valid until ${until}; ${valueOf("certificate_errors_total")} rounds failed to renew it`],
        next: [`kubectl logs ${pod.metadata.name} -n ${namespace} --tail=50`, ...certificate],
      },
    ];
  });
}

function whereOf({ kind, metadata }: WebhookConfiguration): string {
  return `${kind} ${metadata.name}`;
}

function look({ kind, metadata }: WebhookConfiguration): string {
  return `kubectl get ${kind.toLowerCase()} ${metadata.name} -o yaml`;
}
