import type { AdmissionPlan } from "./plan";
import { policyObjects } from "./policies/all";
import { mutatingWebhooks, validatingWebhooks } from "./webhook/webhook-configurations";

/** Maximum characters of an expression (cel-go, "expression code point size exceeds limit"). */
export const longestExpression = 100_000;

/** What has an expression too long for the API server: names of users and tenants are part of it. */
export function tooLongExpression({
  policies,
  webhook,
}: AdmissionPlan): { readonly name: string; readonly length: number } | undefined {
  return [
    ...policyObjects(policies).map(({ metadata: { name }, spec }) => ({ name, length: longest(spec) })),
    ...[...mutatingWebhooks(webhook), ...validatingWebhooks(webhook)].map(({ name, matchConditions }) => ({
      name,
      length: longest(matchConditions),
    })),
  ].find(({ length }) => length > longestExpression);
}

/** The length of the longest text: anything but expressions is short. */
function longest(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((most: number, child) => Math.max(most, longest(child)), 0);
}
