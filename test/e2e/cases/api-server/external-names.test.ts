import { beforeAll, expect, it } from "vitest";
import { argv } from "../../../../rig/argv";
import { until } from "../../../../rig/until";
import { externalNamePolicy } from "../../../../src/model/admission/policies/external-names";
import { useApiServer, applyTwice } from "../../lib/api-server";

const api = useApiServer();
const services = "/api/v1/namespaces/bar/services";
const alias = (name: string, externalName: string) => ({
  metadata: { name },
  spec: { type: "ExternalName", externalName },
});
beforeAll(async () => {
  await api().must("POST", "/api/v1/namespaces", { metadata: { name: "bar" } });
  await api().must("POST", services, alias("before", "foo.web.svc.cluster.local"));
  await applyTwice(api(), externalNamePolicy("cluster.local"));
  await until("the policy", 30, async () => (await create("foo.web.svc.cluster.local")).status === 403);
});

const create = (externalName: string) => api().call("POST", `${services}?dryRun=All`, alias("alias", externalName));

it.each(argv`foo.web.svc.cluster.local foo.web.svc.cluster.local. web-0.foo.web.svc.cluster.local svc.cluster.local
    10-1-2-3.web.pod.cluster.local foo.bar.baz.svc.cluster.local foo.notbar.svc.cluster.local`)(
  "refuses one to %s",
  async (externalName) => {
    const { status, body } = await create(externalName);
    const refusal = `externalName ${externalName} is in the cluster domain, where it would reveal the address of another tenant's Service; accepted: names outside cluster.local, and those of Services in namespace bar`;
    expect({ status, message: body.message }).toEqual({ status: 403, message: expect.stringContaining(refusal) });
  },
);

it.each(["foo.bar.svc.cluster.local", "web-0.foo.bar.svc.cluster.local.", "www.example.com", "notcluster.local"])(
  "accepts one to %s",
  async (externalName) => {
    const { status, body } = await create(externalName);
    expect({ status, message: body.message }).toMatchObject({ status: 201 });
  },
);

it("accepts other Services, and changes to an existing alias except to its target", async () => {
  const other = { metadata: { name: "a" }, spec: { ports: [{ port: 80 }] } };
  expect((await api().call("POST", `${services}?dryRun=All`, other)).status).toBe(201);
  const [path, type] = [`${services}/before?dryRun=All`, "application/merge-patch+json"];
  const patch = async (object: object) => (await api().call("PATCH", path, object, undefined, type)).status;
  expect(await patch({ metadata: { labels: { a: "b" } } })).toBe(200);
  expect(await patch({ spec: { externalName: "other.web.svc.cluster.local" } })).toBe(403);
  expect(await patch({ spec: { externalName: "www.example.com" } })).toBe(200);
});
