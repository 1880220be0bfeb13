import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { until } from "../../../../rig/until";
import { refuseNamespace } from "../../../../src/model/admission/namespaces";
import { namespacePolicy } from "../../../../src/model/admission/policies/namespaces";
import {
  allowed,
  changedNamespaces,
  createdNamespaces,
  label,
  labelled,
  namespaceRows,
} from "../../../model/admission/namespace-table";
import { pathOf } from "../../../../rig/admission/path-of";
import { recreateNamespace, tryNamespace } from "./questions";
import { useApiServer, applyTwice } from "../../lib/api-server";

/** The newest, and one without MutatingAdmissionPolicy. */
const versions = ["kubernetes", "kubernetes-1.35"] as const;
describe.each(versions)("policy of namespaces on the API server of %s", (version) => {
  const api = useApiServer([], version);
  const policies = namespacePolicy(labelled, allowed);

  async function switchPolicy(on: boolean): Promise<void> {
    if (on) await applyTwice(api(), policies);
    else for (const object of policies.toReversed()) await api().call("DELETE", pathOf(object));
    const row = namespaceRows.find(({ refusal }) => refusal?.includes("a tenant has this name"));
    const isOn = async () => row && (await tryNamespace(api(), row.change)).status === 403;
    await until("the policy", 30, async () => (await isOn()) === on, 100);
  }

  it("gives the webhook's answers to the table of namespaces, in the same words", async () => {
    await switchPolicy(true);
    for (const { name, change } of namespaceRows) {
      if (change.operation === "UPDATE") {
        await switchPolicy(false);
        await recreateNamespace(api(), change);
        await switchPolicy(true);
      }
      const { status, body } = await tryNamespace(api(), change);
      const refused = refuseNamespace(change, labelled, allowed);
      const expected = { name, refused: refused !== undefined };
      expect({ name, refused: status === 403, message: body.message }).toMatchObject(expected);
      if (refused !== undefined) expect(body.message).toContain(refused);
    }
  });

  it("a tenant cannot be replaced through a subresource either", async () => {
    const [labels, oldLabels] = [{ [label]: "qux" }, { [label]: "baz" }];
    const change = { operation: "UPDATE", name: "bar", labels, oldLabels, requester: { username: "alice" } } as const;
    await switchPolicy(false);
    await recreateNamespace(api(), change);
    for (const subresource of ["status", "finalize"] as const) {
      expect((await tryNamespace(api(), change, subresource)).status).toBe(200);
      await switchPolicy(true);
      const { status, body } = await tryNamespace(api(), change, subresource);
      const message = expect.stringContaining(String(refuseNamespace(change, labelled, allowed)));
      expect({ status, message: body.message }).toMatchObject({ status: 403, message });
      await switchPolicy(false);
    }
  });

  it("agrees with the webhook on generated namespaces", async () => {
    await switchPolicy(false);
    const oldLabels = { [label]: "baz" };
    await recreateNamespace(api(), { operation: "UPDATE", name: "bar", labels: {}, oldLabels, requester: {} });
    await switchPolicy(true);
    await fc.assert(
      fc.asyncProperty(fc.oneof(createdNamespaces, changedNamespaces), async (generated) => {
        const { status, body } = await tryNamespace(api(), generated);
        const refused = refuseNamespace(generated, labelled, allowed);
        expect({ generated, refused: status === 403 }).toEqual({ generated, refused: refused !== undefined });
        if (refused !== undefined) expect(body.message).toContain(refused);
      }),
      { numRuns: 200 },
    );
  });
});
