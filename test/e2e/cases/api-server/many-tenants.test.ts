import { beforeAll, describe, expect, it } from "vitest";
import { pathOf } from "../../../../rig/admission/path-of";
import { until } from "../../../../rig/until";
import { renderCluster } from "../../../../src/charts/render-cluster";
import { longestExpression, tooLongExpression } from "../../../../src/model/admission/expression-length";
import { policyObjects } from "../../../../src/model/admission/policies/all";
import type { PolicyObject } from "../../../../src/model/admission/policies/policy";
import { clusterOf } from "../../../../src/model/cluster/cluster";
import type { TenancyOptions } from "../../../../src/model/props/tenancy";
import { tenancyOf } from "../../../../src/model/tenancy/membership";
import { facts } from "../../lib/small-dns";
import { createPod, dnsOf, tryNamespace } from "./questions";
import { useApiServer, applyTwice } from "../../lib/api-server";

/** Twelve letters each: hardly more tenants are accepted, see test/model/check/admission.test.ts. */
const count = 6230;
const nameOf = (i: number) => `t${String(i).padStart(11, "0")}`;
const names = Array.from({ length: count }, (_, i) => nameOf(i));
const last = nameOf(count - 1);

const namespacesOf = (name: string) => Array.from({ length: 10 }, (_, n) => `n${name.slice(-4)}-${n}`);
const tenancies: { readonly [membership: string]: TenancyOptions } = {
  listed: { tenants: names.map((name) => ({ name, namespaces: namespacesOf(name) })) },
  prefix: { membership: "prefix", tenants: names.map((name) => ({ name })) },
};

describe(`policies of ${count} tenants on a real API server`, () => {
  const api = useApiServer();
  beforeAll(async () => {
    for (const name of [`n${last.slice(-4)}-9`, `${last}-web`])
      await api().must("POST", "/api/v1/namespaces", { metadata: { name } });
  });

  it.each(Object.entries(tenancies))("work for the last of them with membership %s", async (membership, tenancy) => {
    const props = { ...facts, kubernetesVersion: "1.37", tenancy, admission: { allowedUsers: ["admin"] } } as const;
    const { components } = renderCluster(clusterOf({ ...props, nodeLocalDNS: { state: "disabled" } }));
    const objects = components.find(({ name }) => name === "admission-policies")?.objects ?? [];
    await applyTwice(api(), objects);
    const [namespace, member] =
      membership === "prefix" ? [`${last}-web`, "web"] : [`n${last.slice(-4)}-9`, `n${last.slice(-4)}-9`];
    const create = () => createPod(api(), namespace, { spec: {} });
    await until("the policy", 30, async () => dnsOf(await create()).dnsPolicy === "None");
    const pod = await create();
    expect(dnsOf(pod).dnsConfig?.searches?.[0]).toBe(`${member}.${last}.svc.cluster.local`);
    expect(pod.warnings).toEqual([]);

    const change = { operation: "CREATE", name: last, labels: {}, requester: { username: "alice" } } as const;
    await until("the policy of namespaces", 30, async () => (await tryNamespace(api(), change)).status === 403);
    expect((await tryNamespace(api(), { ...change, name: "another" })).status).toBe(201);
    for (const object of [...objects].reverse()) await api().must("DELETE", pathOf(object));
  });

  it("are refused for 20 more, as the check of a cluster file reports", async () => {
    const tenancy = tenancyOf({ tenants: Array.from({ length: count + 20 }, (_, i) => ({ name: nameOf(i) })) });
    const policies = { namespaces: { tenancy, allowed: { users: ["admin"], groups: [] } } };
    const length = tooLongExpression({ policies, webhook: {} })?.length;
    const [policy] = policyObjects(policies);
    await expect(api().apply(pathOf(policy as PolicyObject), policy ?? {})).rejects.toThrow(
      `expression code point size exceeds limit: size: ${length}, limit ${longestExpression}`,
    );
  });
});
