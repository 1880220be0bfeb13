import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { protectedObjectPolicies } from "../../../src/model/admission/policies/protected-objects";
import { refuseChange, type ObjectChange } from "../../../src/model/admission/protected-objects";
import { changeRows, protection } from "../../model/admission/change-table";
import { until } from "../rig/until";
import { allowEverybody, applyAdmission } from "./admission-objects";
import { LocalApiServer } from "./local-api-server";

const missing = LocalApiServer.missing();
describe.skipIf(missing)(`policies of protected objects on a real API server${missing ? ` (${missing})` : ""}`, () => {
  let api: LocalApiServer;
  beforeAll(async () => {
    api = await LocalApiServer.start();
    await allowEverybody(api);
    const objects = new Map(changeRows.map(({ change }) => [pathOf(change), change.oldObject]));
    for (const [path, object] of objects) await api.must("POST", path.slice(0, path.lastIndexOf("/")), object ?? {});
    await applyAdmission(api, protectedObjectPolicies(protection));
    const [first] = changeRows.filter(({ refused }) => refused);
    await until("the policies", 30, async () => (await tryChange(first?.change as ObjectChange)).status === 403);
    await until("the policy of Services", 30, async () => {
      const { status } = await api.call(
        "DELETE",
        "/api/v1/namespaces/kube-system/services/kube-dns?dryRun=All",
        undefined,
        { username: "alice" },
      );
      return status === 403;
    });
  });
  afterAll(() => api?.stop());

  function pathOf({ namespace, resource, name }: ObjectChange): string {
    return `/api/v1/namespaces/${namespace}/${resource}/${name}`;
  }

  /** As the requester, and taken back: what is on the server stays. */
  async function tryChange({ operation, object, oldObject, requester, ...change }: ObjectChange) {
    const path = `${pathOf({ operation, requester, ...change })}?dryRun=All`;
    const as = {
      username: requester.username ?? "",
      groups: requester.groups?.filter((group) => group !== "system:authenticated"),
    };
    if (operation === "DELETE") return api.call("DELETE", path, undefined, as);
    // Only the content and the labels of the row: the server has set more.
    const old = (oldObject ?? {}) as { [key: string]: object };
    const content = Object.entries(object ?? {}).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(old[key]),
    );
    return api.call("PATCH", path, Object.fromEntries(content), as, "application/merge-patch+json");
  }

  it.each(changeRows)("$name", async ({ change, refused }) => {
    const { status, body } = await tryChange(change);
    expect({ status, message: body.message }).toMatchObject({ status: refused ? 403 : 200 });
    // The same words as the webhook.
    if (refused) expect(body.message).toContain(refuseChange(change, protection));
  });

  it("refuses a collection's deletion, which names no object", async () => {
    const path = "/api/v1/namespaces/kube-system/configmaps?dryRun=All";
    const { status, body } = await api.call("DELETE", path, undefined, { username: "alice" });
    expect({ status, message: body.message }).toMatchObject({
      status: 403,
      message: expect.stringContaining("DELETE of configmaps kube-system/coredns"),
    });
  });
});
