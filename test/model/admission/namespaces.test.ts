import { expect, it } from "vitest";
import { refuseNamespace } from "../../../src/model/admission/namespaces";
import { tenancyOf } from "../../../src/model/tenancy/membership";
import { allowed, labelled, namespaceRows } from "./namespace-table";

it.each(namespaceRows)("$name", ({ change, refusal }) => {
  const expected = refusal && expect.stringContaining(refusal);
  expect(refuseNamespace(change, labelled, allowed)).toEqual(expected);
});

it.each(["listed", "prefix"] as const)("with membership %s looks at names alone", (membership) => {
  const tenancy = tenancyOf({ tenants: [{ name: "baz" }], membership });
  const labels = { "example.com/tenant": "Wrong" };
  const change = { operation: "CREATE", name: "bar", labels, requester: {} } as const;
  expect(refuseNamespace(change, tenancy, allowed)).toBeUndefined();
  expect(refuseNamespace({ ...change, name: "baz" }, tenancy, allowed)).toContain("a tenant has this name");
});
