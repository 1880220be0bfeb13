import { expect, it } from "vitest";
import { refuseChange } from "../../../src/model/admission/protected-objects";
import { changeRows, protection } from "./change-table";

it.each(changeRows)("$name", ({ change, refused }) => {
  expect(refuseChange(change, protection) !== undefined).toBe(refused);
});

it("says what was attempted, who may do it, and what to do", () => {
  const row = changeRows.find(({ name }) => name === "the content of Corefile coredns-abc, by a user");
  expect(row && refuseChange(row.change, protection)).toBe(
    "UPDATE of configmaps kube-system/coredns-abc by alice is refused: the cluster's DNS depends on it. Allowed: system:serviceaccount:argocd:argocd-application-controller, group dns-admins. Change the cluster file and let your GitOps controller apply it, or add the user to admission.allowedUsers.",
  );
});
