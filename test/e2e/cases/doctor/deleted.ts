import { it } from "vitest";
import type { Examined } from "./examined";

/** After all others: nothing is left. */
export function deleted(x: Examined): void {
  const { expectFound } = x;

  it("finds that everything is deleted", async () => {
    await x.deleteAll();
    await expectFound("missing", / objects$/);
    await expectFound("rights", / objects$/);
    // A DNS of the cluster's own, which OpenShift has in another namespace; tenants need ours.
    const described = { authoritativeDNS: { kind: "Existing" }, tenancy: undefined } as const;
    await expectFound("dns-service-elsewhere", "Service kube-system/kube-dns", { described });
  });
}
