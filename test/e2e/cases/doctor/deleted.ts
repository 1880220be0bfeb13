import { it } from "vitest";
import type { Examined } from "./examined";

/** After all others: nothing is left. */
export function deleted(x: Examined): void {
  const { expectFound } = x;

  it("finds that everything is deleted", async () => {
    await x.deleteAll();
    await expectFound("are missing", / objects$/);
    // A DNS of the cluster's own, which OpenShift has in another namespace; tenants need ours.
    const described = { authoritativeDNS: { kind: "Existing" }, tenancy: undefined } as const;
    const title = "is missing, or elsewhere: what it is was not compared with the cluster file";
    await expectFound(title, "Service kube-system/kube-dns", { described });
  });
}
