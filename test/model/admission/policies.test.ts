import { expect, it } from "vitest";
import { externalNamePolicy } from "../../../src/model/admission/policies/external-names";
import { policyObjects } from "../../../src/model/admission/policies/all";
import type { PolicyObject } from "../../../src/model/admission/policies/policy";
import { tenantsData } from "../../../src/model/admission/policies/pod-dns";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { AdmissionOptions } from "../../../src/model/props/admission";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { tenancyOf } from "../../../src/model/tenancy/membership";
import { cached } from "../../cached";

const tenants = [{ name: "baz" }];
const byPrefix = { tenants, membership: "prefix", strict: true, systemTenant: { name: "sys" } } as const;
const byLabel = { tenants, membership: "label", namespaceLabel: "example.com/tenant" } as const;
const podDNSConfig = { options: { ndots: 2, "single-request-reopen": true }, excludedNamespaces: ["legacy"] };

function policies(tenancy: ClusterDnsProps["tenancy"], admission: Partial<AdmissionOptions>): PolicyObject[] {
  const policed = { kubernetesVersion: "1.36", tenancy, admission: { allowedUsers: ["argo"], ...admission } };
  return policyObjects(clusterOf({ ...cached, ...policed }).admission?.policies ?? {});
}

/** A line for each part of each policy, and one for its binding. */
function lines(objects: readonly PolicyObject[]): string {
  return objects
    .map(({ kind, spec }) => [kind, ...parts(kind.endsWith("Binding") ? [spec] : spec)].join("\n  "))
    .join("\n");
}

function parts(spec: object): string[] {
  return Object.entries(spec).flatMap(([key, value]: [string, unknown]) =>
    Array.isArray(value) && value.length > 0
      ? value.flatMap((each: object) => Object.entries(each).map(([name, text]) => `${key}.${name}: ${shown(text)}`))
      : `${key}: ${shown(value)}`,
  );
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

// What they decide is shown on an API server: test/e2e/cases/api-server.
it.each<[what: string, names: RegExp, tenancy: ClusterDnsProps["tenancy"], admission?: Partial<AdmissionOptions>]>([
  ["options of all pods, and of objects", /./, undefined, { podDNSConfig, allowedGroups: ["admins"] }],
  ["listed tenants", /namespaces|pod-dns/, { tenants: [{ name: "baz", namespaces: ["bar"] }] }],
  ["strict tenants by prefix, and the system's", /pod-dns/, byPrefix],
  ["tenants by label, and options of all pods", /namespaces|pod-dns$/, byLabel, { podDNSConfig }],
])("policies of %s", (_what, names, tenancy, admission = {}) => {
  const all = policies(tenancy, admission);
  expect(lines(all.filter(({ metadata }) => names.test(metadata.name)))).toMatchSnapshot();
});

it("policy of aliases", () => expect(lines(externalNamePolicy("k8s.example"))).toMatchSnapshot());

it.each([
  ["listed", { baz: "bar qux", free: "" }],
  ["prefix", undefined],
] as const)("tenants' namespaces are data if they are %s", (membership, data) => {
  const some = [{ name: "baz", namespaces: ["bar", "qux"] }, { name: "free" }];
  expect(tenantsData(tenancyOf({ tenants: some, membership }))).toEqual(data);
});
