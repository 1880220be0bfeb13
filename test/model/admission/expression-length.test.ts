import { expect, it } from "vitest";
import { longestExpression, tooLongExpression } from "../../../src/model/admission/expression-length";
import { isNotAllowed } from "../../../src/model/admission/policies/protected-objects";

/** Who protects one object, from everybody but a user with so long a name that an expression has this length. */
function protecting(length: number) {
  const allowed = (name: string) => ({ users: [name], groups: [] });
  const name = "a".repeat(length - isNotAllowed(allowed("")).length);
  const objects = [{ resource: "configmaps", names: [], prefixes: ["coredns-"] }] as const;
  return { protectedObjects: { namespace: "kube-system", objects, allowed: allowed(name) } };
}

it("no expression is longer than the API server takes, in the webhook's configuration as in a policy", () => {
  const [short, long] = [protecting(longestExpression), protecting(longestExpression + 1)];
  expect(tooLongExpression({ policies: {}, webhook: short })).toBeUndefined();
  expect(tooLongExpression({ policies: {}, webhook: long })).toEqual({
    name: "configmaps.webhook.cluster-dns",
    length: longestExpression + 1,
  });
  // Its message names users, too.
  expect(tooLongExpression({ policies: long, webhook: {} })?.name).toBe("cluster-dns-configmaps");
  expect(tooLongExpression({ policies: protecting(1000), webhook: {} })).toBeUndefined();
});
