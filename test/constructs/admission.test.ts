import { describe, expect, it } from "vitest";
import { AdmissionPolicies } from "../../src/constructs/admission-policies";
import { Webhook } from "../../src/constructs/webhook";
import type { AdmissionOptions } from "../../src/model/props/admission";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import { cached } from "../cached";
import { rendererOf } from "./rendered";

const cluster: ClusterDnsProps = { ...cached, tenancy: { tenants: [{ name: "baz", namespaces: ["bar"] }] } };
const argo = { allowedUsers: ["argo"] };

const rendered = rendererOf(Webhook, "a", cluster);
const webhook = (admission: Partial<AdmissionOptions> = {}) => rendered({ admission: { ...argo, ...admission } });
const policies = rendererOf(AdmissionPolicies, "dns", { ...cluster, admission: argo });

describe("Webhook", () => {
  it("may read and write its own Secret and configurations, and read nodes only with the placement guard", () => {
    const own = webhook();
    expect(own.object("Role", "cluster-dns-webhook").rules).toEqual([
      { apiGroups: [""], resources: ["secrets"], resourceNames: ["cluster-dns-webhook"], verbs: ["get", "update"] },
    ]);
    const configurations = {
      apiGroups: ["admissionregistration.k8s.io"],
      resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
      resourceNames: ["cluster-dns-webhook"],
      verbs: ["get", "patch"],
    };
    expect(own.object("ClusterRole", "system:cluster-dns-webhook").rules).toEqual([configurations]);
    expect(webhook({ placementGuard: true }).object("ClusterRole", "system:cluster-dns-webhook").rules).toEqual([
      configurations,
      { apiGroups: [""], resources: ["nodes"], verbs: ["list", "watch"] },
    ]);
  });

  it("with cert-manager has no permissions and no token", () => {
    const { names, pod, object } = webhook({ webhook: { certificates: "cert-manager" } });
    expect(names.filter((name) => /Role|Secret/.test(name))).toEqual([]);
    expect(pod("Deployment", "cluster-dns-webhook").automountServiceAccountToken).toBe(false);
    expect(object("NetworkPolicy", "cluster-dns-webhook").spec?.egress).toEqual([]);
    const secret = "cluster-dns-webhook-tls";
    expect(pod("Deployment", "cluster-dns-webhook").volumes).toContainEqual(
      expect.objectContaining({ secret: { secretName: secret, defaultMode: 0o440 } }),
    );
    expect(object("Certificate", "cluster-dns-webhook").spec?.secretName).toBe(secret);
    expect(webhook().names).not.toContain(`Secret ${secret}`);
    const made = ["Issuer -selfsigned", "Certificate -ca", "Issuer -ca", "Certificate "];
    expect(names).toEqual(expect.arrayContaining(made.map((each) => each.replace(" ", " cluster-dns-webhook"))));
    for (const kind of ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]) {
      expect(object(kind, "cluster-dns-webhook").metadata?.annotations).toMatchObject({
        "cert-manager.io/inject-ca-from": "kube-system/cluster-dns-webhook",
      });
    }
  });

  it("with the user's issuer creates no CA of its own", () => {
    const issuerRef = { name: "pki", kind: "ClusterIssuer" } as const;
    const { names, object } = webhook({ webhook: { certificates: "cert-manager", issuerRef } });
    expect(names.filter((name) => /^(Issuer|Certificate) /.test(name))).toEqual(["Certificate cluster-dns-webhook"]);
    const { spec } = object("Certificate", "cluster-dns-webhook");
    expect(spec?.issuerRef).toEqual({ group: "cert-manager.io", ...issuerRef });
  });

  it("is refused if policies decide everything, and names what does", () => {
    expect(() => rendered({ admission: argo, kubernetesVersion: "1.37" })).toThrow(
      / use AdmissionPolicies .*enforcement: webhook/,
    );
  });
});

describe("AdmissionPolicies", () => {
  const latest = { kubernetesVersion: "1.36" } as const;

  it("does everything from 1.36 on, each policy before its binding and the tenants before both", () => {
    expect(policies(latest).names).toEqual([
      "ConfigMap cluster-dns-tenants",
      ...["configmaps", "services", "namespaces", "pod-dns-audit"].flatMap((name) => [
        `ValidatingAdmissionPolicy cluster-dns-${name}`,
        `ValidatingAdmissionPolicyBinding cluster-dns-${name}`,
      ]),
      "MutatingAdmissionPolicy cluster-dns-pod-dns",
      "MutatingAdmissionPolicyBinding cluster-dns-pod-dns",
    ]);
  });

  it("has a ConfigMap with each tenant's namespaces only if they are listed", () => {
    expect(policies(latest).object("ConfigMap", "cluster-dns-tenants").data).toEqual({ baz: "bar" });
    const byPrefix = policies({ ...latest, tenancy: { tenants: [{ name: "baz" }], membership: "prefix" } });
    expect(byPrefix.has("ConfigMap", "cluster-dns-tenants")).toBe(false);
  });

  it("is refused for a version without policies", () => {
    expect(() => policies({ kubernetesVersion: "1.29" })).toThrow(/ use Webhook .*kubernetesVersion: "1.30"/);
  });
});
