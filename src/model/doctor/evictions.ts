import type { DisruptionBudget, Pod, Workload } from "../kubernetes/kinds";
import { identity, namespacedName } from "../kubernetes/object";
import { isCurrent } from "../kubernetes/pods";
import { matches } from "../kubernetes/selectors";
import { isOurs } from "../object-names";
import { isBeside } from "./drift";
import { type Finding, finding, type Findings } from "./finding";
import type { Patient } from "./patient";
import { type Suggestions, about, look, noted } from "./suggestions";

/** Deployments whose pods nobody can evict: a drain of their nodes does not end. Drains leave out DaemonSets. */
export function evictions(patient: Patient): Findings {
  return patient.workloads.map(
    ({ live, wanted, isDns }) => live.kind === "Deployment" && (wanted || isDns) && ofDeployment(live, patient),
  );
}

function ofDeployment(workload: Workload, patient: Patient): Finding | undefined {
  const pods = patient.podsOf(workload).filter(isCurrent);
  const keeps = (budget: DisruptionBudget) => (pod: Pod) =>
    isBeside(budget, pod) && budget.spec.selector !== undefined && matches(budget.spec.selector, pod.metadata);
  const budgets = (patient.state.disruptionBudgets ?? []).filter((each) => pods.some(keeps(each)));
  const isTwice = pods.some((pod) => budgets.filter((each) => keeps(each)(pod)).length > 1);
  const twice = `of a pod with two disruption budgets, the API server refuses every eviction: ${budgets.map(identity).join(", ")}`;
  const evidence = isTwice ? [twice] : budgets.filter(allowsNone).map(told);
  if (evidence.length === 0) return undefined;
  const next = budgets.map((each) => steps(each, isTwice));
  return finding("not-evictable", `Deployment ${namespacedName(workload)}`, evidence, next);
}

/** Although no pod fails: it never will. Until its controller has looked, it counts none. */
function allowsNone({
  status: { disruptionsAllowed = 1, currentHealthy = 0, expectedPods = 0 } = {},
}: DisruptionBudget) {
  return disruptionsAllowed === 0 && expectedPods > 0 && currentHealthy >= expectedPods;
}

function told(budget: DisruptionBudget): string {
  const { currentHealthy, desiredHealthy } = budget.status ?? {};
  return `${identity(budget)} wants ${desiredHealthy} healthy pods of the ${currentHealthy} that there are, and lets none go`;
}

function steps(budget: DisruptionBudget, isTwice: boolean): Suggestions {
  return [
    look(budget),
    !isTwice && "let it have maxUnavailable: 1, in what applies it",
    isTwice &&
      !isOurs(budget) &&
      noted(about(budget, "delete"), "in what applies it, too; or let it select other pods"),
  ];
}
