import { expect, it } from "vitest";
import { diagnose } from "../../../src/model/doctor/diagnose";
import { podDnsConfig } from "../../../src/model/tenancy/pod-dns-config";
import * as edit from "./edit";
import { commands, described, found, healthy, pod, props } from "./healthy";

const baz = { name: "baz", namespaces: ["bar"] };
const tenancy = { tenants: [baz, { name: "acme", namespaces: ["web"] }] };
const from = described({ ...props, tenancy });

/** Findings on a pod of namespace `bar`, of tenant baz. */
function withPod(spec: object, namespace = "bar", of = from) {
  return found({ pods: [...healthy(of).pods, pod("a", namespace, spec)] }, of);
}

const { podDns } = from.cluster;
const own = podDns && podDnsConfig(podDns, { tenant: "baz", namespace: "bar" });

const ownDns = (more: object) => ({ dnsPolicy: "None", dnsConfig: { ...own, ...more } });

it("is content with the tenant's configuration, and what a pod adds of its own", () => {
  expect(withPod(ownDns({ searches: [...(own?.searches ?? []), "corp.example"] }))).toEqual([]);
  expect(withPod({ dnsPolicy: "Default" })).toEqual([]);
});

it.each([
  ["ordinary DNS", { dnsPolicy: "ClusterFirst" }, /^dnsPolicy is ClusterFirst, it should be None .* bar\.baz\.svc/],
  ["no search list", ownDns({ searches: ["corp.example"] }), /^searches lack bar\.baz\.svc/],
  ["other servers", ownDns({ nameservers: ["192.0.2.1"] }), /^nameservers lack 10\.96\.0\.10$/],
])("a tenant's pod with %s", (_, spec, evidence) => {
  const [first] = withPod(spec);
  expect(first).toMatchObject({ id: "tenant-dns-missing", where: "pod bar/a" });
  expect(first?.evidence[0]).toMatch(evidence);
});

const admission = { allowedUsers: ["argo"] };
const strictly = { ...tenancy, strict: true };
const strict = described({ ...props, kubernetesVersion: "1.36", tenancy: strictly, admission });

it.each([
  ["Default", { dnsPolicy: "Default" }, /^dnsPolicy is Default, it should be None with searches bar\.baz\.svc/],
  ["no ndots", { dnsPolicy: "None", dnsConfig: { ...own, options: [] } }, /^ndots is not set, it should be 6$/],
  ["the tenant's configuration", { dnsPolicy: "None", dnsConfig: own }, undefined],
])("strict: a tenant's pod with %s", (_, spec, evidence) => {
  const [first] = withPod(spec, "bar", strict);
  if (evidence === undefined) expect(first).toBeUndefined();
  else expect(first?.evidence[0]).toMatch(evidence);
});

it("a pod that searches names of another tenant, or of any if it has none", () => {
  const foreign = "acme.svc.cluster.local";
  const stray = { id: "tenant-dns-strays", evidence: [`searches ${foreign}`, expect.any(String)] };
  expect(withPod(ownDns({ searches: [...(own?.searches ?? []), foreign] }))).toMatchObject([stray]);
  expect(withPod({ dnsConfig: { searches: [foreign] } }, "free")).toMatchObject([stray]);
});

it("is not deleted before the webhook, which would change its successor, has a ready pod", () => {
  const byWebhook = { ...admission, allowedGroups: ["system:masters"], enforcement: "webhook" } as const;
  const admitting = described({ ...props, tenancy, kubernetesVersion: "1.37", admission: byWebhook });
  const all = [...healthy(admitting).pods, pod("a", "bar", { nodeName: "node-1" })];
  const deleting = (pods: typeof all) => {
    const findings = diagnose({ ...healthy(admitting), pods }, admitting);
    const finding = findings.find(({ where }) => where === "pod bar/a on node-1");
    return commands(finding).find((each) => each.startsWith("kubectl delete pod a "));
  };
  expect(deleting(all)).toMatch(/ {2}# if a controller creates it again$/);
  const unready = edit.replaced(all, /^cluster-dns-webhook-/, (each) => ({ ...each, status: { phase: "Running" } }));
  expect(deleting(unready)).toMatch(/ {2}# once the webhook has a ready pod: /);
});
