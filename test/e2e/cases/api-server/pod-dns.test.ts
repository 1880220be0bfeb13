import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../../../rig/until";
import { podDnsOf, type DnsPod, type PodDns } from "../../../../src/model/admission/pod-dns";
import type { PodOptions } from "../../../../src/model/admission/pod-options";
import { podDnsAuditPolicy, podDnsPolicy, tenantsData } from "../../../../src/model/admission/policies/pod-dns";
import { names } from "../../../../src/model/object-names";
import type { TenancyOptions } from "../../../../src/model/props/tenancy";
import { tenancyOf } from "../../../../src/model/tenancy/membership";
import type { PodDnsRules } from "../../../../src/model/tenancy/pod-dns-config";
import { all, podRows, pods } from "../../../model/admission/pod-table";
import { pathOf } from "../../../../rig/admission/path-of";
import { createPod, dnsOf, expectAgreement } from "./questions";
import { useApiServer, applyTwice } from "../../lib/api-server";

const system = { systemTenant: { name: "system" } };
const tenants = [
  { name: "baz", namespaces: ["bar", "bar2"] },
  { name: "qux", namespaces: ["web"] },
];
const unlisted = tenants.map(({ name }) => ({ name }));
const byLabel = { membership: "label", namespaceLabel: "example.com/tenant" } as const;
const cases: readonly [what: string, tenancy: TenancyOptions | undefined, all?: PodOptions][] = [
  ["tenants: listed", { tenants, ...system }],
  // The same lists: the API server may know a changed ConfigMap a little later than a changed policy.
  ["tenants: listed, strict; options for all", { tenants, isolation: "soft", strict: true, ...system }, all],
  ["tenants: prefix", { tenants: unlisted, membership: "prefix", isolation: "soft", ...system }],
  ["tenants: label; options for all", { tenants: unlisted, ...byLabel }, all],
  ["options for all", undefined, all],
];
const namespaces: { readonly [name: string]: { readonly [label: string]: string } } = {
  bar: { "example.com/tenant": "baz" },
  web: { "example.com/tenant": "qux" },
  "baz-bar": { "example.com/tenant": "other" },
  "baz-": {},
  "qux-a-b": {},
  free: {},
  // No label makes it a tenant's.
  default: { "example.com/tenant": "baz" },
};

const api = useApiServer();
beforeAll(async () => {
  for (const [name, labels] of Object.entries(namespaces)) {
    if (name.endsWith("-")) continue;
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
    await api().apply(`/api/v1/namespaces/${name}`, namespace);
  }
});

const create = (namespace: string, pod: DnsPod) => createPod(api(), namespace, pod);
/** Beyond the limits, the API server itself refuses what the policy set. */
const expectSame = (podDns: PodDns, name: string, pod: DnsPod) =>
  expectAgreement(api(), podDns, { name, labels: namespaces[name] ?? {} }, pod, 422);

describe.each(cases)("policy of pods' DNS on a real API server: %s", (_what, options, ofAll) => {
  const tenancy = options && tenancyOf(options);
  const asked = { clusterDomain: "cluster.local", nameservers: ["10.96.0.10"] };
  const rules: PodDnsRules | undefined = tenancy && { tenancy, ...asked };
  const podDns = podDnsOf(rules, ofAll) as PodDns;
  const audit = rules ? podDnsAuditPolicy(rules) : [];
  const member = tenancy?.membership === "prefix" ? "baz-bar" : "bar";
  const isConfigured = async () => dnsOf(await create(member, { spec: {} })).dnsConfig !== undefined;
  beforeAll(async () => {
    const data = tenancy && tenantsData(tenancy);
    const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: names.tenants }, data };
    if (data) await api().apply(`/api/v1/namespaces/kube-system/configmaps/${names.tenants}`, configMap);
    await applyTwice(api(), [...audit, ...podDnsPolicy(podDns)]);
    await until("the policy", 30, isConfigured);
  });
  afterAll(async () => {
    for (const object of podDnsPolicy(podDns).reverse()) await api().must("DELETE", pathOf(object));
    await until("the policy's end", 30, async () => !(await isConfigured()));
    const { warnings } = await create(member, { spec: {} });
    // Without the policy that sets it, the audit policy reports it.
    const lacks = expect.stringContaining("this pod lacks the DNS configuration of tenant baz");
    expect(warnings).toEqual(rules ? [lacks] : []);
    for (const object of audit.reverse()) await api().must("DELETE", pathOf(object));
  });

  it.each(podRows)("$name", async ({ pod }) => {
    for (const namespace of [member, "web", "free", "kube-system", "default", "qux-a-b"])
      await expectSame(podDns, namespace, pod);
  });

  it("agrees with the webhook on generated pods, and warns of none that it has configured", async () => {
    const namespace = fc.constantFrom(...Object.keys(namespaces).filter((name) => !name.endsWith("-")));
    await fc.assert(
      fc.asyncProperty(namespace, pods, (name, pod) => expectSame(podDns, name, pod)),
      { numRuns: 300 },
    );
    expect((await create(member, { spec: {} })).warnings).toEqual([]);
  });
});
