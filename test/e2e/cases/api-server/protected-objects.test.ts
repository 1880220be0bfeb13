import { beforeAll, describe, expect, it } from "vitest";
import { until } from "../../../../rig/until";
import { protectedObjectPolicies } from "../../../../src/model/admission/policies/protected-objects";
import { refuseChange } from "../../../../src/model/admission/protected-objects";
import { changeRows, protection } from "../../../model/admission/change-table";
import { createChangedObjects, tryChange } from "./questions";
import { useApiServer, applyTwice } from "../../lib/api-server";

/** The newest, and one without MutatingAdmissionPolicy. */
const versions = ["kubernetes", "kubernetes-1.35"] as const;
describe.each(versions)("policies of protected objects on the API server of %s", (version) => {
  const api = useApiServer([], version);
  beforeAll(async () => {
    await createChangedObjects(api());
    await applyTwice(api(), protectedObjectPolicies(protection));
    for (const resource of ["configmaps", "services"]) {
      const row = changeRows.find(({ refused, change }) => refused && change.resource === resource);
      const isRefused = async () => row && (await tryChange(api(), row.change)).status === 403;
      await until(`the policy of ${resource}`, 30, isRefused);
    }
  });

  it.each(changeRows)("$name", async ({ change, refused, subresource }) => {
    const { status, body } = await tryChange(api(), change, subresource);
    expect({ status, message: body.message }).toMatchObject({ status: refused ? 403 : 200 });
    // In the same words as the webhook.
    if (refused) expect(body.message).toContain(refuseChange(change, protection));
  });

  it("refuses the deletion of a collection, which names no object", async () => {
    const path = "/api/v1/namespaces/kube-system/configmaps?dryRun=All";
    const { status, body } = await api().call("DELETE", path, undefined, { username: "alice" });
    const message = expect.stringContaining("DELETE of configmaps kube-system/coredns");
    expect({ status, message: body.message }).toMatchObject({ status: 403, message });
  });
});
