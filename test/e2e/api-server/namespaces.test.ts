import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { namespacePolicy } from "../../../src/model/admission/policies/namespaces";
import { refuseNamespace, type NamespaceChange } from "../../../src/model/admission/namespaces";
import { allowed, labelled, namespaceRows } from "../../model/admission/namespace-table";
import { until } from "../rig/until";
import { admissionPath, allowEverybody, applyAdmission } from "./admission-objects";
import { LocalApiServer } from "./local-api-server";

const missing = LocalApiServer.missing();
describe.skipIf(missing)(`policy of namespaces on a real API server${missing ? ` (${missing})` : ""}`, () => {
  let api: LocalApiServer;
  const policies = namespacePolicy(labelled, allowed);
  beforeAll(async () => {
    api = await LocalApiServer.start();
    await allowEverybody(api);
  });
  afterAll(() => api?.stop());

  async function switchPolicy(on: boolean): Promise<void> {
    if (on) await applyAdmission(api, policies);
    else for (const object of [...policies].reverse()) await api.call("DELETE", admissionPath(object));
    const refused = namespaceRows.find(({ refusal }) => refusal?.includes("a tenant has this name"));
    await until(
      "the policy",
      30,
      async () => ((await tryChange(refused?.change as NamespaceChange)).status === 403) === on,
      100,
    );
  }

  function tryChange({ operation, name, labels, requester }: NamespaceChange) {
    const as = { username: requester.username ?? "", groups: requester.groups };
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
    if (operation === "CREATE") return api.call("POST", "/api/v1/namespaces?dryRun=All", object, as);
    return api.call("PUT", `/api/v1/namespaces/${name}?dryRun=All`, object, as);
  }

  it("gives the answers of the webhook to the table of namespaces, in the same words", async () => {
    await switchPolicy(true);
    for (const { name, change } of namespaceRows) {
      if (change.operation === "UPDATE") {
        await switchPolicy(false);
        await api.call("DELETE", `/api/v1/namespaces/${change.name}`);
        await api.call("PUT", `/api/v1/namespaces/${change.name}/finalize`, {
          apiVersion: "v1",
          kind: "Namespace",
          metadata: { name: change.name },
          spec: { finalizers: [] },
        });
        await api.must("POST", "/api/v1/namespaces", { metadata: { name: change.name, labels: change.oldLabels } });
        await switchPolicy(true);
      }
      const { status, body } = await tryChange(change);
      const refused = refuseNamespace(change, labelled, allowed);
      expect({ name, refused: status === 403, message: body.message }).toMatchObject({
        name,
        refused: refused !== undefined,
      });
      if (refused !== undefined) expect(body.message).toContain(refused);
    }
  }, 120_000);
});
