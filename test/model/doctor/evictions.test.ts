import { expect, it } from "vitest";
import type { DisruptionBudget } from "../../../src/model/kubernetes/kinds";
import { commands, findingsOf, healthy } from "./healthy";

const is = healthy();

const budget = (spec: object, status: object = {}): DisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "by-hand", namespace: "kube-system" },
  spec: { ...spec },
  status: { ...status },
});

const ours = { matchLabels: { "k8s-app": "kube-dns" } };
const expression = (operator: string, key: string, ...values: string[]) => ({
  selector: { matchExpressions: [{ key, operator, values }] },
});

it.each<[spec: object, ids: string[]]>([
  [{ selector: ours }, ["not-evictable"]],
  [{ selector: {} }, ["not-evictable"]],
  [{}, []],
  [{ selector: { matchLabels: { "k8s-app": "other" } } }, []],
  [expression("In", "k8s-app", "a", "kube-dns"), ["not-evictable"]],
  [expression("NotIn", "k8s-app", "kube-dns"), []],
  [expression("Exists", "k8s-app"), ["not-evictable"]],
  [expression("DoesNotExist", "k8s-app"), []],
])("a second budget keeps every pod that both select: %j", (spec, ids) => {
  const disruptionBudgets = [...is.disruptionBudgets, budget(spec)];
  const findings = findingsOf({ disruptionBudgets });
  expect(findings.map(({ id }) => id)).toEqual(ids);
  expect(commands(findings[0]).filter((each) => each.includes("delete"))).toEqual(
    ids.map(() => expect.stringContaining("kubectl delete poddisruptionbudget by-hand -n kube-system")),
  );
});

it.each<[status: object, ids: string[]]>([
  [{ disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2, expectedPods: 2 }, ["not-evictable"]],
  [{ disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 }, []],
  // Not counted yet.
  [{ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }, []],
  // Until the other pod is well again.
  [{ disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 2 }, []],
])("a budget keeps every pod if it allows no disruption while all are healthy: %j", (status, ids) => {
  expect(findingsOf({ disruptionBudgets: [budget({ selector: ours }, status)] }).map(({ id }) => id)).toEqual(
    // Ours is missing meanwhile.
    ["missing-aside", ...ids],
  );
});
