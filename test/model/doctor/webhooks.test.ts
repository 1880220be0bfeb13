import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { webcrypto } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { issue } from "../../../src/agent/webhook/certificates/issue";
import { diagnose } from "../../../src/model/doctor/diagnose";
import type { Described } from "../../../src/model/doctor/described";
import type { WebhookConfiguration } from "../../../src/model/kubernetes/kinds";
import type { KubernetesObject } from "../../../src/model/kubernetes/object";
import type { AdmissionOptions } from "../../../src/model/props/admission";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { commands, described, type Healthy, healthy, props, trusting } from "./healthy";

const admission: AdmissionOptions = { allowedUsers: ["argo"], allowedGroups: ["system:masters"], placementGuard: true };
const withWebhook: ClusterDnsProps = {
  ...props,
  kubernetesVersion: "1.33",
  tenancy: { tenants: [{ name: "baz", namespaces: ["bar"] }] },
  admission,
};
const from = described(withWebhook);
let is: Healthy;
let expired: string;
let another: string;
let early: string;
beforeAll(async () => {
  const { now } = healthy(from);
  is = healthy(from, (await issue(["a"], now)).authority);
  expired = (await issue(["a"], new Date("2020-01-01"))).authority;
  another = (await issue(["a"], now)).authority;
  early = (await issue(["a"], new Date("2027-01-01"))).authority;
});

type Webhook = NonNullable<WebhookConfiguration["webhooks"]>[number];

/** Findings once each webhook of one kind is changed. */
function changed(kind: string, change: (webhook: Webhook) => Webhook) {
  const webhooks = is.webhooks.map((each) =>
    each.kind === kind ? { ...each, webhooks: each.webhooks?.map(change) ?? [] } : each,
  );
  return diagnose({ ...is, webhooks }, from);
}

it("finds nothing if it is as described and trusted", () => expect(diagnose(is, from)).toEqual([]));

it("finds that it is missing", () => {
  const webhooks = is.webhooks.filter(({ kind }) => kind !== "MutatingWebhookConfiguration");
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
    { id: "trusts-nothing-valid", evidence: [expect.stringContaining(" has no certificate that can be read")] },
    { id: "trusts-differ" },
  ]);
  expect(changed(kind, (each) => trusting(each, expired))).toMatchObject([
    { id: "trusts-nothing-valid", evidence: [expect.stringContaining(", valid from ")] },
    { id: "trusts-differ" },
  ]);
  // Of a clock that is wrong.
  expect(changed(kind, (each) => trusting(each, early))).toMatchObject([
    { id: "trusts-nothing-valid" },
    { id: "trusts-differ" },
  ]);
});

it("judges each webhook of a configuration by itself", () => {
  const of = described({ ...withWebhook, admission: { ...admission, enforcement: "webhook" } });
  const state = healthy(of, another);
  const webhooks = state.webhooks?.map((each) => ({
    ...each,
    webhooks: each.webhooks?.map((one, i) => (i === 1 ? trusting(one, expired) : one)) ?? [],
  }));
  const [second] = webhooks?.flatMap(({ webhooks: [, each] }) => each?.name ?? []) ?? [];
  expect(diagnose({ ...state, webhooks }, of)).toMatchObject([
    { id: "trusts-nothing-valid", evidence: [expect.stringContaining(`caBundle of ${second} has only `)] },
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

describe("with cert-manager", () => {
  const issuedBy = (...certificates: readonly string[]) =>
    certificates.map((certificate, i) => ({
      apiVersion: "cert-manager.io/v1",
      kind: "CertificateRequest",
      // As text, 10 comes before 9.
      metadata: { name: `r-${i}`, annotations: { "cert-manager.io/certificate-revision": `${9 + i}` } },
      status: { certificate: Buffer.from(certificate).toString("base64") },
    }));
  const of = described({ ...withWebhook, admission: { ...admission, webhook: { certificates: "cert-manager" } } });
  const state = (authority: string, ...certificates: readonly string[]) => {
    const { asked, ...rest } = healthy(of, authority);
    return {
      ...rest,
      asked: new Map<string, readonly KubernetesObject[]>([
        ...asked,
        ["CertificateRequest", issuedBy(...certificates)],
      ]),
    };
  };

  it("finds that no caBundle trusts the certificate that was issued last", async () => {
    const [old, current] = [await signed(), await signed()];
    const ids = (...args: Parameters<typeof state>) => diagnose(state(...args), of).map(({ id }) => id);
    expect(ids(current.authority, old.certificate, current.certificate)).toEqual([]);
    expect(ids(old.authority + current.authority, current.certificate)).toEqual([]);
    // An authority that was made anew, under its name.
    const all = healthy(of).webhooks.map(() => "trusts-others");
    expect(ids(old.authority, old.certificate, current.certificate)).toEqual(all);
    expect(ids(another, current.certificate)).toEqual(all);
    // Of an issuer that signs with an intermediate, and of one that has no authority.
    expect(ids(current.authority, another + current.certificate)).toEqual([]);
    expect(ids(current.certificate, current.certificate)).toEqual([]);
    expect(ids(another)).toEqual([]);
  });

  it.each([
    ["2026-10-31", "certificate-expired"],
    ["2026-11-01T12:00:00Z", "certificate-expires"],
    ["2026-11-03", undefined],
  ])("says of metrics that cannot be read what was issued: valid until %s", async (until, id) => {
    const { authority, certificate } = await signed(new Date(until));
    const found = diagnose(state(authority, certificate), of).filter(({ id: each }) => each.startsWith("certificate-"));
    expect(found.map((each) => [each.id, each.where])).toEqual(
      id ? [[id, "Certificate kube-system/cluster-dns-webhook"]] : [],
    );
  });
});

/** A certificate, and its authority, which always has the same name; PEM. */
async function signed(notAfter = new Date("2027-01-01")) {
  x509.cryptoProvider.set(webcrypto);
  const signingAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const [keys, { publicKey }] = (await Promise.all(
    [1, 2].map(() => webcrypto.subtle.generateKey(signingAlgorithm, true, ["sign", "verify"])),
  )) as [webcrypto.CryptoKeyPair, webcrypto.CryptoKeyPair];
  const name = "CN=authority";
  const validity = { notBefore: new Date("2026-01-01"), notAfter: new Date("2027-01-01") };
  const authority = await x509.X509CertificateGenerator.createSelfSigned({ ...validity, name, keys, signingAlgorithm });
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity,
    notAfter,
    subject: "CN=webhook",
    issuer: name,
    publicKey,
    signingKey: keys.privateKey,
    signingAlgorithm,
  });
  return { authority: `${authority.toString("pem")}\n`, certificate: `${certificate.toString("pem")}\n` };
}

it.each([
  [-60, "certificate-expired"],
  [6.9 * 86_400, "certificate-expires"],
])("finds a certificate that has %i s left", (seconds, id) => {
  const value = is.now.getTime() / 1000 + seconds;
  const sample = { name: "cluster_dns_webhook_certificate_expiry_timestamp_seconds", labels: {}, value };
  const metrics = new Map([...is.metrics, ["cluster-dns-webhook-0", [sample]]]);
  expect(diagnose({ ...is, metrics }, from)).toMatchObject([
    { id, where: "pod kube-system/cluster-dns-webhook-0 on node-1" },
  ]);
});
