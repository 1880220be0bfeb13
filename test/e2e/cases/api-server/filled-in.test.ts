import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { LocalApiServer } from "../../../../rig/admission/local-api-server";
import { type AppliedObject, pathOf } from "../../../../rig/admission/path-of";
import { renderCluster } from "../../../../src/charts/render-cluster";
import { resolve } from "../../../../src/model/check/resolve";
import { comparedObjects } from "../../../../src/model/doctor/described";
import { drift } from "../../../../src/model/doctor/drift";
import type { KubernetesObject } from "../../../../src/model/kubernetes/object";
import { root } from "../../../repository";

let api: LocalApiServer;
beforeAll(async () => {
  api = await LocalApiServer.start();
});
afterAll(() => api?.stop());

/** Kinds of Kubernetes itself; not those that need another address, or that have a say in what is applied after them. */
const isSimple = ({ apiVersion, kind }: KubernetesObject) =>
  /^(v1|apps|batch|policy|autoscaling|networking|rbac|flowcontrol|admissionregistration)\b/.test(apiVersion) &&
  kind !== "Service" &&
  !kind.endsWith("WebhookConfiguration");

it("what an API server fills in is no difference to doctor, whatever the kind", async () => {
  const files = readdirSync(join(root, "clusters")).filter((file) => file.endsWith(".yaml"));
  const objects = files.flatMap((file) => {
    const { cluster } = resolve(parse(readFileSync(join(root, "clusters", file), "utf8")));
    if (!cluster) return [];
    const { components } = renderCluster(cluster);
    return comparedObjects({ name: file, cluster, components, folder: "dist" });
  });
  const all = objects.filter(isSimple).toSorted((a, b) => Number(isPolicy(a)) - Number(isPolicy(b)));
  expect(new Set(all.map(({ kind }) => kind)).size).toBeGreaterThan(12);
  for (const wanted of all) {
    const live = (await api.apply(pathOf(wanted as AppliedObject), wanted)) as unknown as KubernetesObject;
    expect(drift([wanted], () => [live])).toEqual([]);
  }
});

function isPolicy({ apiVersion }: KubernetesObject): boolean {
  return apiVersion.startsWith("admissionregistration");
}
