import { beforeAll, expect, it } from "vitest";
import { issue } from "../../../src/agent/webhook/certificates/issue";
import { diagnose } from "../../../src/model/doctor/diagnose";
import type { Described, Observed } from "../../../src/model/doctor/observed";
import type { WebhookConfiguration } from "../../../src/model/kubernetes/kinds";
import type { AdmissionOptions } from "../../../src/model/props/admission";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { described, healthy, props, trusting } from "./healthy";

const admission: AdmissionOptions = {
  allowedUsers: ["argo"],
  allowedGroups: ["system:masters"],
  placementGuard: true,
};
const withWebhook: ClusterDnsProps = {
  ...props,
  kubernetesVersion: "1.33",
  tenancy: { tenants: [{ name: "baz", namespaces: ["bar"] }] },
  admission,
};
const from = described(withWebhook);
let is: Observed;
let expired: string;
let another: string;
beforeAll(async () => {
  const { now } = healthy(from);
  is = healthy(from, (await issue(["a"], now)).authority);
  expired = (await issue(["a"], new Date("2020-01-01"))).authority;
  another = (await issue(["a"], now)).authority;
});

type Webhook = NonNullable<WebhookConfiguration["webhooks"]>[number];

/** Findings once each webhook of one kind is changed. */
function changed(kind: string, change: (webhook: Webhook) => Webhook) {
  const webhooks = is.webhooks?.map((each) =>
    each.kind === kind ? { ...each, webhooks: each.webhooks?.map(change) ?? [] } : each,
  );
  return diagnose({ ...is, webhooks }, from);
}

it("finds nothing if it is as described and trusted", () => {
  expect(diagnose(is, from)).toEqual([]);
});

it("finds that it is missing", () => {
  const webhooks = is.webhooks?.filter(({ kind }) => kind !== "MutatingWebhookConfiguration");
  expect(diagnose({ ...is, webhooks }, from)).toMatchObject([
    { severity: "error", title: "is missing", where: "MutatingWebhookConfiguration cluster-dns-webhook" },
  ]);
});

it("finds another failurePolicy, or another port called", () => {
  const [finding] = changed("MutatingWebhookConfiguration", ({ clientConfig, ...webhook }) => ({
    ...webhook,
    failurePolicy: "Fail",
    clientConfig: { ...clientConfig, service: { name: "cluster-dns-webhook", namespace: "kube-system", port: 8443 } },
  }));
  expect(finding).toMatchObject({ severity: "error", title: "is not as described" });
  expect(finding?.evidence.slice(0, 2)).toEqual([
    expect.stringMatching(
      /calls kube-system\/cluster-dns-webhook:8443, the cluster file renders kube-system\/cluster-dns-webhook:443$/,
    ),
    expect.stringMatching(/failurePolicy is Fail, the cluster file renders Ignore$/),
  ]);
});

it("finds an empty or unreadable caBundle, an expired one, and different ones", () => {
  const kind = "MutatingWebhookConfiguration";
  expect(changed(kind, (each) => trusting(each, ""))).toMatchObject([
    { severity: "error", title: "trusts no certificate" },
  ]);
  expect(changed(kind, (each) => trusting(each, "nonsense"))).toMatchObject([
    {
      severity: "error",
      title: "trusts no valid certificate",
      evidence: ["caBundle has no certificate that can be read"],
    },
    { severity: "warning", title: "webhooks of one server trust different certificates" },
  ]);
  expect(changed(kind, (each) => trusting(each, expired))).toMatchObject([
    {
      severity: "error",
      title: "trusts no valid certificate",
      evidence: [expect.stringContaining("was valid until ")],
    },
    { severity: "warning" },
  ]);
});

it("warns of webhooks that trust no certificate in common, not of one that trusts more", () => {
  const trustingAlso = (also: (trusted: string) => string) =>
    changed("MutatingWebhookConfiguration", (each) =>
      trusting(each, also(Buffer.from(each.clientConfig.caBundle ?? "", "base64").toString("utf8"))),
    );
  expect(trustingAlso((trusted) => `${another}${trusted}`)).toEqual([]);
  expect(trustingAlso(() => `${another}${expired}`)).toMatchObject([
    { severity: "warning", title: "webhooks of one server trust different certificates" },
  ]);
});

it("asks cert-manager about its certificate and caBundle, and the webhook about its own", () => {
  const log = "kubectl logs -n kube-system -l k8s-app=cluster-dns-webhook --tail=50";
  const next = (of: Described) =>
    diagnose(healthy(of), of)[0]
      ?.next.slice(1)
      .map((each) => each.split("  #")[0]);
  expect(next(from)).toEqual([log]);
  expect(
    next(described({ ...withWebhook, admission: { ...admission, webhook: { certificates: "cert-manager" } } })),
  ).toEqual([
    "kubectl describe certificate.cert-manager.io cluster-dns-webhook -n kube-system",
    "kubectl logs -n cert-manager -l app.kubernetes.io/component=cainjector --tail=50",
  ]);
});

it.each([
  [-60, "error", "serves a certificate that has expired"],
  [3600, "warning", "serves a certificate that expires within a day"],
])("finds a certificate that has %i s left", (seconds, severity, title) => {
  const value = is.now.getTime() / 1000 + seconds;
  const sample = { name: "cluster_dns_webhook_certificate_expiry_timestamp_seconds", labels: {}, value };
  const metrics = new Map([...is.metrics, ["cluster-dns-webhook-0", [sample]]]);
  expect(diagnose({ ...is, metrics }, from)).toMatchObject([
    { severity, title, where: "pod kube-system/cluster-dns-webhook-0 on node-1" },
  ]);
});
