import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../../../rig/until";
import { renderCluster } from "../../../../src/charts/render-cluster";
import { clusterOf } from "../../../../src/model/cluster/cluster";
import type { TenancyOptions } from "../../../../src/model/props/tenancy";
import { LocalApiServer } from "../../lib/local-api-server";
import { allowEverybody, applyTwice, pathOf } from "./admission-objects";
import { createPod, dnsOf, tryNamespace } from "./questions";

const count = 2000;
const names = Array.from({ length: count }, (_, i) => `tenant-number-${i}x`);
const last = `tenant-number-${count - 1}x`;

const tenancies: { readonly [membership: string]: TenancyOptions } = {
  listed: {
    tenants: names.map((name) => ({ name, namespaces: Array.from({ length: 10 }, (_, n) => `team-${name}-${n}`) })),
  },
  prefix: { membership: "prefix", tenants: names.map((name) => ({ name })) },
};

describe(`policies of ${count} tenants on a real API server`, () => {
  let api: LocalApiServer;
  beforeAll(async () => {
    api = await LocalApiServer.start();
    await allowEverybody(api);
    for (const name of [`team-${last}-9`, `${last}-web`])
      await api.must("POST", "/api/v1/namespaces", { metadata: { name } });
  });
  afterAll(() => api?.stop());

  it.each(Object.entries(tenancies))("work for the last of them with membership %s", async (membership, tenancy) => {
    const { components } = renderCluster(
      clusterOf({
        clusterDNS: ["10.96.0.10"],
        kubeProxyMode: "iptables",
        kubernetesVersion: "1.37",
        tenancy,
        admission: { allowedUsers: ["admin"] },
      }),
    );
    const objects = components.find(({ name }) => name === "admission-policies")?.objects ?? [];
    await applyTwice(api, objects);
    const [namespace, member] = membership === "prefix" ? [`${last}-web`, "web"] : [`team-${last}-9`, `team-${last}-9`];
    await until(
      "the policy",
      30,
      async () => dnsOf(await createPod(api, namespace, { spec: {} })).dnsPolicy === "None",
    );
    const pod = await createPod(api, namespace, { spec: {} });
    expect(dnsOf(pod).dnsConfig?.searches?.[0]).toBe(`${member}.${last}.svc.cluster.local`);
    expect(pod.warnings).toEqual([]);

    const change = { operation: "CREATE", name: last, labels: {}, requester: { username: "alice" } } as const;
    await until("the policy of namespaces", 30, async () => (await tryNamespace(api, change)).status === 403);
    expect((await tryNamespace(api, { ...change, name: "another" })).status).toBe(201);
    for (const object of [...objects].reverse()) await api.must("DELETE", pathOf(object));
  });
});
