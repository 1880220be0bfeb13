import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decidePodDns, type DnsPod } from "../../../src/model/admission/pod-dns";
import {
  podDnsAuditPolicy,
  podDnsPolicy,
  tenantsConfigMapName,
  tenantsData,
} from "../../../src/model/admission/policies/pod-dns";
import { tenantDns, type PodDnsRules } from "../../../src/model/admission/tenant-dns";
import type { TenancyOptions } from "../../../src/model/spec/tenancy";
import { podRows, pods } from "../../model/admission/pod-table";
import { until } from "../rig/until";
import { admissionPath, applyAdmission } from "./admission-objects";
import { LocalApiServer } from "./local-api-server";

const system = { systemTenant: { name: "system" } };
const tenancies: { readonly [name: string]: TenancyOptions } = {
  listed: {
    tenants: [
      { name: "baz", namespaces: ["bar", "bar2"] },
      { name: "qux", namespaces: ["web"] },
    ],
    ...system,
  },
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
};

const missing = LocalApiServer.missing();
describe.skipIf(missing)(`policy of pods' DNS on a real API server${missing ? ` (${missing})` : ""}`, () => {
  let api: LocalApiServer;
  beforeAll(async () => {
    api = await LocalApiServer.start();
    for (const [name, labels] of Object.entries(namespaces)) {
      if (!name.endsWith("-")) await api.must("POST", "/api/v1/namespaces", { metadata: { name, labels } });
    }
  });
  afterAll(() => api?.stop());

  function create(namespace: string, pod: DnsPod) {
    return api.call("POST", `/api/v1/namespaces/${namespace}/pods?dryRun=All`, {
      metadata: { ...pod.metadata, name: "pod" },
      spec: {
        ...pod.spec,
        ...(mirrored(pod) ? { nodeName: "node" } : {}),
        containers: [{ name: "c", image: "registry.example/c:1" }],
      },
    });
  }
  const mirrored = ({ metadata }: DnsPod) => metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined;

  /** What the API server makes of a pod, beside what the webhook would. */
  async function expectAgreement(rules: PodDnsRules, namespace: string, pod: DnsPod): Promise<void> {
    const { status, body } = await create(namespace, pod);
    const wanted = tenantDns(rules, {
      name: namespace,
      labels: { ...namespaces[namespace], "kubernetes.io/metadata.name": namespace },
    });
    const decision = wanted ? decidePodDns(pod, wanted) : ({ action: "leave" } as const);
    const about = { namespace, pod, message: body.message };
    if (decision.action === "deny") {
      expect({ ...about, status }).toEqual({ ...about, status: 422 });
    } else if (status === 201) {
      const { dnsPolicy, dnsConfig } = body["spec"] as DnsPod["spec"];
      const expected =
        decision.action === "set"
          ? { dnsPolicy: "None", dnsConfig: decision.dnsConfig }
          : { dnsPolicy: pod.spec.dnsPolicy ?? "ClusterFirst", dnsConfig: pod.spec.dnsConfig };
      expect({ ...about, dnsPolicy, dnsConfig: filled(dnsConfig) }).toEqual({
        ...about,
        ...expected,
        dnsConfig: filled(expected.dnsConfig),
      });
    } else {
      // Refused whatever we do: the webhook has left it alone as well.
      expect({ ...about, action: decision.action }).toEqual({ ...about, action: "leave" });
    }
  }
  /** An empty list is not stored. */
  const filled = (config: object | undefined) =>
    Object.fromEntries(Object.entries(config ?? {}).filter(([, list]) => Array.isArray(list) && list.length > 0));

  describe.each(Object.entries(tenancies))("membership %s", (membership, tenancy) => {
    const rules: PodDnsRules = { tenancy, clusterDomain: "cluster.local", nameservers: ["10.96.0.10"] };
    const member = membership === "prefix" ? "baz-bar" : "bar";
    beforeAll(async () => {
      const data = tenantsData(tenancy);
      if (data) {
        await api.apply(`/api/v1/namespaces/kube-system/configmaps/${tenantsConfigMapName}`, {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: tenantsConfigMapName },
          data,
        });
      }
      await applyAdmission(api, [...podDnsAuditPolicy(rules), ...podDnsPolicy(rules)]);
      await until(
        "the policy",
        30,
        async () => ((await create(member, { spec: {} })).body["spec"] as DnsPod["spec"]).dnsPolicy === "None",
      );
    });
    afterAll(async () => {
      for (const object of [...podDnsPolicy(rules)].reverse()) await api.must("DELETE", admissionPath(object));
      await until(
        "the policy's end",
        30,
        async () => ((await create(member, { spec: {} })).body["spec"] as DnsPod["spec"]).dnsPolicy === "ClusterFirst",
      );
      const { warnings } = await create(member, { spec: {} });
      // Without what sets it, the audit policy says so.
      expect(warnings).toEqual([expect.stringContaining("this pod has not the DNS configuration of tenant baz")]);
      for (const object of [...podDnsAuditPolicy(rules)].reverse()) await api.must("DELETE", admissionPath(object));
    });

    it.each(podRows)("$name", async ({ pod }) => {
      for (const namespace of [member, "web", "free", "kube-system", "default", "qux-a-b"])
        await expectAgreement(rules, namespace, pod);
    });

    it("agrees with the webhook on generated pods, and warns of none that it set", async () => {
      const namespace = fc.constantFrom(...Object.keys(namespaces).filter((name) => !name.endsWith("-")));
      await fc.assert(
        fc.asyncProperty(namespace, pods, (name, pod) => expectAgreement(rules, name, pod)),
        { numRuns: 300 },
      );
      expect((await create(member, { spec: {} })).warnings).toEqual([]);
    }, 120_000);
  });
});
