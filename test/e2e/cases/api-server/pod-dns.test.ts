import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../../../rig/until";
import type { DnsPod } from "../../../../src/model/admission/pod-dns";
import { podDnsAuditPolicy, podDnsPolicy, tenantsData } from "../../../../src/model/admission/policies/pod-dns";
import { names } from "../../../../src/model/object-names";
import type { TenancyOptions } from "../../../../src/model/props/tenancy";
import { tenancyOf } from "../../../../src/model/tenancy/membership";
import type { PodDnsRules } from "../../../../src/model/tenancy/pod-dns-config";
import { podRows, pods } from "../../../model/admission/pod-table";
import { LocalApiServer } from "../../../../rig/admission/local-api-server";
import { pathOf } from "../../../../rig/admission/path-of";
import { applyTwice } from "./admission-objects";
import { createPod, dnsOf, expectAgreement } from "./questions";

const system = { systemTenant: { name: "system" } };
const tenants = [
  { name: "baz", namespaces: ["bar", "bar2"] },
  { name: "qux", namespaces: ["web"] },
];
const tenancies: { readonly [name: string]: TenancyOptions } = {
  listed: { tenants, ...system },
  // The same lists: the API server may know a changed ConfigMap a little later than a changed policy.
  "listed, strict": { tenants, isolation: "soft", strict: true, ...system },
  prefix: { tenants: [{ name: "baz" }, { name: "qux" }], membership: "prefix", isolation: "soft", ...system },
  label: { tenants: [{ name: "baz" }, { name: "qux" }], membership: "label", namespaceLabel: "example.com/tenant" },
};
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

describe("policy of pods' DNS on a real API server", () => {
  let api: LocalApiServer;
  beforeAll(async () => {
    api = await LocalApiServer.start();
    for (const [name, labels] of Object.entries(namespaces)) {
      if (name.endsWith("-")) continue;
      const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
      await api.apply(`/api/v1/namespaces/${name}`, namespace);
    }
  });
  afterAll(() => api?.stop());

  const create = (namespace: string, pod: DnsPod) => createPod(api, namespace, pod);
  /** Beyond the limits, the API server itself refuses what the policy set. */
  const expectSame = (rules: PodDnsRules, name: string, pod: DnsPod) =>
    expectAgreement(api, rules, { name, labels: namespaces[name] ?? {} }, pod, 422);

  describe.each(Object.entries(tenancies))("membership %s", (membership, options) => {
    const tenancy = tenancyOf(options);
    const rules: PodDnsRules = { tenancy, clusterDomain: "cluster.local", nameservers: ["10.96.0.10"] };
    const member = membership === "prefix" ? "baz-bar" : "bar";
    beforeAll(async () => {
      const data = tenantsData(tenancy);
      if (data) {
        await api.apply(`/api/v1/namespaces/kube-system/configmaps/${names.tenants}`, {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: names.tenants },
          data,
        });
      }
      await applyTwice(api, [...podDnsAuditPolicy(rules), ...podDnsPolicy(rules)]);
      await until("the policy", 30, async () => dnsOf(await create(member, { spec: {} })).dnsPolicy === "None");
    });
    afterAll(async () => {
      for (const object of [...podDnsPolicy(rules)].reverse()) await api.must("DELETE", pathOf(object));
      await until(
        "the policy's end",
        30,
        async () => dnsOf(await create(member, { spec: {} })).dnsPolicy === "ClusterFirst",
      );
      const { warnings } = await create(member, { spec: {} });
      // Without the policy that sets it, the audit policy reports it.
      expect(warnings).toEqual([expect.stringContaining("this pod lacks the DNS configuration of tenant baz")]);
      for (const object of [...podDnsAuditPolicy(rules)].reverse()) await api.must("DELETE", pathOf(object));
    });

    it.each(podRows)("$name", async ({ pod }) => {
      for (const namespace of [member, "web", "free", "kube-system", "default", "qux-a-b"])
        await expectSame(rules, namespace, pod);
    });

    it("agrees with the webhook on generated pods, and warns of none that it has configured", async () => {
      const namespace = fc.constantFrom(...Object.keys(namespaces).filter((name) => !name.endsWith("-")));
      await fc.assert(
        fc.asyncProperty(namespace, pods, (name, pod) => expectSame(rules, name, pod)),
        { numRuns: 300 },
      );
      expect((await create(member, { spec: {} })).warnings).toEqual([]);
    });
  });
});
