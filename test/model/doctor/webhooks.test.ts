import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { webcrypto, X509Certificate } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { issue, lifetimeMs } from "../../../src/agent/webhook/certificates/issue";
import { diagnose } from "../../../src/model/doctor/diagnose";
import type { Described } from "../../../src/model/doctor/described";
import type { WebhookConfiguration } from "../../../src/model/kubernetes/kinds";
import type { Sample } from "../../../src/model/kubernetes/samples";
import type { KubernetesObject } from "../../../src/model/kubernetes/object";
import type { AdmissionOptions } from "../../../src/model/props/admission";
import * as edit from "./edit";
import { commands, described, type Healthy, healthy, props, trusting } from "./healthy";

const admission: AdmissionOptions = { allowedUsers: ["argo"], allowedGroups: ["system:masters"], placementGuard: true };
const tenancy = { tenants: [{ name: "baz", namespaces: ["bar"] }] };
const withAdmission = (more: Partial<AdmissionOptions> = {}) =>
  described({ ...props, kubernetesVersion: "1.33", tenancy, admission: { ...admission, ...more } });
const from = withAdmission();
const withCertManager = withAdmission({ webhook: { certificates: "cert-manager" } });
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

/** The configurations with each of their webhooks changed. */
function withEach(all: Healthy["webhooks"], change: (one: Webhook, i: number, kind: string) => Webhook) {
  return all.map((of) => ({ ...of, webhooks: (of.webhooks ?? []).map((one, i) => change(one, i, of.kind)) }));
}

/** Findings once each webhook of one kind is changed. */
function changed(kind: string, change: (webhook: Webhook) => Webhook) {
  return diagnose({ ...is, webhooks: withEach(is.webhooks, (one, _, of) => (of === kind ? change(one) : one)) }, from);
}

const mutating = "MutatingWebhookConfiguration";

it("finds nothing if it is as described and trusted", () => expect(diagnose(is, from)).toEqual([]));

it("finds that somebody scaled it to 0, which is the cause of what follows", () => {
  const workloads = edit.patched(is.workloads, "cluster-dns-webhook", { spec: { replicas: 0 } });
  const where = "Deployment kube-system/cluster-dns-webhook";
  expect(diagnose({ ...is, workloads }, from)[0]).toMatchObject({ id: "scaled-to-zero", where });
});

it("finds another failurePolicy, or another port called", () => {
  const service = { name: "cluster-dns-webhook", namespace: "kube-system", port: 8443 };
  const [finding] = changed(mutating, (each) => {
    return { ...each, failurePolicy: "Fail", clientConfig: { ...each.clientConfig, service } };
  });
  expect(finding?.id).toBe("differs");
  const of = (port: number, policy: string) => `"kube-system/cluster-dns-webhook:${port}, failurePolicy ${policy}"`;
  expect(finding?.evidence[0]).toContain(` is ${of(8443, "Fail")}, the cluster file renders ${of(443, "Ignore")}`);
});

it("finds an empty or unreadable caBundle, an expired one, and different ones", () => {
  const ids = (authority: string) => changed(mutating, (each) => trusting(each, authority)).map(({ id }) => id);
  const why = (authority: string) => changed(mutating, (each) => trusting(each, authority))[0]?.evidence.join();
  expect(ids("")).toEqual(["trusts-nothing"]);
  // The last one of a clock that is wrong.
  for (const authority of ["nonsense", expired, early]) expect(ids(authority)).toEqual(["trusts-nothing-valid"]);
  expect(why("nonsense")).toContain(" has no certificate that can be read");
  expect(why(expired)).toContain(", valid from ");
});

it("judges each webhook of a configuration by itself", () => {
  const of = withAdmission({ enforcement: "webhook" });
  const state = healthy(of, another);
  const webhooks = withEach(state.webhooks, (one, i) => (i === 1 ? trusting(one, expired) : one));
  const [second] = webhooks.flatMap(({ webhooks: [, each] }) => each?.name ?? []);
  expect(diagnose({ ...state, webhooks }, of)).toMatchObject([
    {
      id: "trusts-nothing-valid",
      evidence: [expect.stringContaining(`caBundle of ${second} has only `), expect.stringContaining("failurePolicy")],
    },
  ]);
});

it("warns of webhooks that trust no certificate in common, not of one that trusts more", () => {
  const trusted = (each: Webhook) => Buffer.from(each.clientConfig.caBundle ?? "", "base64").toString("utf8");
  expect(changed(mutating, (each) => trusting(each, `${another}${trusted(each)}`))).toEqual([]);
  const differ = changed(mutating, (each) => trusting(each, `${another}${expired}`));
  expect(differ).toMatchObject([{ id: "trusts-differ" }]);
});

it("asks cert-manager about its certificate and caBundle, and the webhook about its own", () => {
  const log = "kubectl logs -l k8s-app=cluster-dns-webhook --tail=50 -n kube-system";
  const next = (of: Described) => {
    const [, ...more] = commands(diagnose(healthy(of), of)[0]);
    return more.map((each) => each.split("  #")[0]);
  };
  const restart = "kubectl rollout restart deployment";
  expect(next(from)).toEqual([log, expect.stringContaining("Secret"), `${restart} cluster-dns-webhook -n kube-system`]);
  expect(next(withCertManager)).toEqual([
    "kubectl describe certificate.cert-manager.io cluster-dns-webhook -n kube-system",
    "kubectl logs -n cert-manager -l app.kubernetes.io/component=cainjector --tail=50",
    expect.stringContaining("Secret"),
    `${restart} cert-manager-cainjector -n cert-manager`,
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
  const of = withCertManager;
  const state = (authority: string, ...certificates: readonly string[]) => {
    const { asked, ...rest } = healthy(of, authority);
    const requests: [string, readonly KubernetesObject[]] = ["CertificateRequest", issuedBy(...certificates)];
    return { ...rest, asked: new Map([...asked, requests]) };
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

  const ends = { "2026-10-31": "certificate-expired", "2026-11-01T12:00:00Z": "certificate-expires" };
  it.each(Object.entries({ ...ends, "2026-11-03": undefined }))(
    "says of metrics that cannot be read what was issued: valid until %s",
    async (until, id) => {
      const { authority, certificate } = await issue(["a"], new Date(Date.parse(until) - lifetimeMs));
      const found = diagnose(state(authority, certificate), of).filter(({ id: each }) =>
        each.startsWith("certificate-"),
      );
      const where = "Certificate kube-system/cluster-dns-webhook";
      expect(found.map((each) => [each.id, each.where])).toEqual(id ? [[id, where]] : []);
    },
  );
});

/** A certificate, and its authority, which always has the same name; PEM. */
async function signed() {
  x509.cryptoProvider.set(webcrypto);
  const signingAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ["sign", "verify"]);
  const given = { notBefore: new Date("2026-01-01"), notAfter: new Date("2027-01-01"), signingAlgorithm };
  const name = "CN=authority";
  const authority = await x509.X509CertificateGenerator.createSelfSigned({ ...given, name, keys });
  const { privateKey: signingKey, publicKey } = keys;
  const certificate = await x509.X509CertificateGenerator.create({ ...given, issuer: name, publicKey, signingKey });
  return { authority: `${authority.toString("pem")}\n`, certificate: `${certificate.toString("pem")}\n` };
}

it.each([
  [-60, "certificate-expired"],
  [6.9 * 86_400, "certificate-expires"],
])("finds a certificate that has %i s left", (seconds, id) => {
  const value = is.now.getTime() / 1000 + seconds;
  const sample = { name: "cluster_dns_webhook_certificate_expiry_timestamp_seconds", labels: {}, value };
  const metrics = new Map([...is.metrics, ["cluster-dns-webhook-0", [sample]]]);
  const where = "pod kube-system/cluster-dns-webhook-0 on node-1";
  expect(diagnose({ ...is, metrics }, from)).toMatchObject([{ id, where }]);
});

describe("by what the webhook's pods serve", () => {
  const servedBy = (value: number, ...authorities: readonly string[]) => ({
    metrics: new Map([
      ...is.metrics,
      ...authorities.map((authority, i): [string, readonly Sample[]] => {
        const issuer = {
          name: "cluster_dns_webhook_certificate_issuer",
          labels: { issuer: subjectOf(authority) },
          value: 1,
        };
        const failing = { name: "cluster_dns_webhook_certificate_failing", labels: {}, value };
        return [`cluster-dns-webhook-${i}`, [issuer, failing]];
      }),
    ]),
  });
  const subjectOf = (authority: string) => new X509Certificate(authority).subject;
  const own = () => Buffer.from(is.webhooks[0]?.webhooks?.[0]?.clientConfig.caBundle ?? "", "base64").toString("utf8");

  it("finds a caBundle that trusts none of it, alone, with what follows from failurePolicy", () => {
    const webhooks = withEach(is.webhooks, (one, _, kind) => (kind === mutating ? trusting(one, another) : one));
    const [finding, ...more] = diagnose({ ...is, webhooks, ...servedBy(0, own()) }, from);
    expect([finding, more]).toMatchObject([{ id: "trusts-others", where: `${mutating} cluster-dns-webhook` }, []]);
    expect(finding?.evidence[1]).toMatch(/failurePolicy Ignore admits/);
    const failing = withEach(webhooks, (one) => ({ ...one, failurePolicy: "Fail" }));
    const all = diagnose({ ...is, webhooks: failing, ...servedBy(0, own()) }, from);
    const refusing = all.find(({ id }) => id === "trusts-others");
    expect(refusing?.evidence[1]).toMatch(/failurePolicy Fail refuses/);
    expect(commands(refusing).at(-1)).toMatch(/^kubectl rollout restart deployment cluster-dns-webhook /);
  });

  it("finds nothing by the names of cert-manager's authorities, which may be intermediates", () => {
    const state = healthy(withCertManager, own());
    expect(diagnose({ ...state, ...servedBy(0, another) }, withCertManager)).toEqual([]);
  });

  it("finds nothing if it trusts a part, as while one certificate follows another", () => {
    const both = servedBy(0, own(), another);
    expect(diagnose({ ...is, ...both }, from)).toEqual([]);
  });

  it("finds that none of them can renew its certificate, as without its Secret", () => {
    const [finding, ...more] = diagnose({ ...is, ...servedBy(1, own(), own()) }, from);
    expect([finding, more]).toMatchObject([{ id: "certificate-failing", where: "2 pods" }, []]);
    expect(commands(finding).at(-1)).toMatch(/^kubectl apply /);
  });
});
