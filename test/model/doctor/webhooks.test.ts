import { beforeAll, expect, it } from "vitest";
import { issue } from "../../../src/agent/webhook/certificates/issue";
import { diagnose } from "../../../src/model/doctor/diagnose";
import type { ClusterState } from "../../../src/model/running/cluster-state";
import type { Described } from "../../../src/model/doctor/described";
import type { WebhookConfiguration } from "../../../src/model/kubernetes/kinds";
import type { AdmissionOptions } from "../../../src/model/props/admission";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { commands, described, healthy, props, trusting } from "./healthy";

const admission: AdmissionOptions = { allowedUsers: ["argo"], allowedGroups: ["system:masters"], placementGuard: true };
const withWebhook: ClusterDnsProps = {
  ...props,
  kubernetesVersion: "1.33",
  tenancy: { tenants: [{ name: "baz", namespaces: ["bar"] }] },
  admission,
};
const from = described(withWebhook);
let is: ClusterState;
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
    { id: "missing", where: "MutatingWebhookConfiguration cluster-dns-webhook" },
  ]);
});

it("finds another failurePolicy, or another port called", () => {
  const [finding] = changed("MutatingWebhookConfiguration", ({ clientConfig, ...webhook }) => ({
    ...webhook,
    failurePolicy: "Fail",
    clientConfig: { ...clientConfig, service: { name: "cluster-dns-webhook", namespace: "kube-system", port: 8443 } },
  }));
  expect(finding).toMatchObject({ id: "differs" });
  expect(finding?.evidence.slice(0, 1)).toEqual([
    expect.stringMatching(
      / is "kube-system\/cluster-dns-webhook:8443, failurePolicy Fail", the cluster file renders "kube-system\/cluster-dns-webhook:443, failurePolicy Ignore"$/,
    ),
  ]);
});

it("finds an empty or unreadable caBundle, an expired one, and different ones", () => {
  const kind = "MutatingWebhookConfiguration";
  expect(changed(kind, (each) => trusting(each, ""))).toMatchObject([{ id: "trusts-nothing" }]);
  expect(changed(kind, (each) => trusting(each, "nonsense"))).toMatchObject([
    { id: "trusts-nothing-valid", evidence: ["caBundle has no certificate that can be read"] },
    { id: "trusts-differ" },
  ]);
  expect(changed(kind, (each) => trusting(each, expired))).toMatchObject([
    { id: "trusts-nothing-valid", evidence: [expect.stringContaining("was valid until ")] },
    { id: "trusts-differ" },
  ]);
});

it("warns of webhooks that trust no certificate in common, not of one that trusts more", () => {
  const trustingAlso = (also: (trusted: string) => string) =>
    changed("MutatingWebhookConfiguration", (each) =>
      trusting(each, also(Buffer.from(each.clientConfig.caBundle ?? "", "base64").toString("utf8"))),
    );
  expect(trustingAlso((trusted) => `${another}${trusted}`)).toEqual([]);
  expect(trustingAlso(() => `${another}${expired}`)).toMatchObject([{ id: "trusts-differ" }]);
});

it("asks cert-manager about its certificate and caBundle, and the webhook about its own", () => {
  const log = "kubectl logs -l k8s-app=cluster-dns-webhook --tail=50 -n kube-system";
  const next = (of: Described) =>
    commands(diagnose(healthy(of), of)[0])
      .slice(1)
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
  [-60, "certificate-expired"],
  [3600, "certificate-expires"],
])("finds a certificate that has %i s left", (seconds, id) => {
  const value = is.now.getTime() / 1000 + seconds;
  const sample = { name: "cluster_dns_webhook_certificate_expiry_timestamp_seconds", labels: {}, value };
  const metrics = new Map([...is.metrics, ["cluster-dns-webhook-0", [sample]]]);
  expect(diagnose({ ...is, metrics }, from)).toMatchObject([
    { id, where: "pod kube-system/cluster-dns-webhook-0 on node-1" },
  ]);
});
