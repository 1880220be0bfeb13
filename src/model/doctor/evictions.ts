import type { DisruptionBudget, Pod, Workload } from "../kubernetes/kinds";
import { identity, namespacedName } from "../kubernetes/object";
import { isCurrent, isOf } from "../kubernetes/pods";
import { matches } from "../kubernetes/selectors";
import { isOurs } from "../object-names";
import type { ClusterState } from "../running/cluster-state";
import { type Described, rendered, systemPods } from "./described";
import { isBeside, isSame } from "./drift";
import { type Finding, finding } from "./finding";
import { beside, type Step } from "./steps";
import { dnsWorkloads } from "./workloads";

/** Deployments whose pods nobody can evict: a drain of their nodes does not end. Drains leave out DaemonSets. */
export function evictions(state: ClusterState, described?: Described): Finding[] {
  const ours = rendered<Workload>(described, "Deployment");
  const dns = dnsWorkloads(state, described);
  return (state.workloads ?? [])
    .filter((each) => each.kind === "Deployment" && (dns.includes(each) || ours.some((one) => isSame(one, each))))
    .flatMap((each) => ofDeployment(each, state));
}

function ofDeployment(workload: Workload, state: ClusterState): Finding[] {
  const pods = systemPods(state).filter((pod) => isCurrent(pod) && isOf(workload, pod));
  const keeps = (budget: DisruptionBudget) => (pod: Pod) =>
    isBeside(budget, pod) && budget.spec.selector !== undefined && matches(budget.spec.selector, pod.metadata);
  const budgets = (state.disruptionBudgets ?? []).filter((each) => pods.some(keeps(each)));
  const isTwice = pods.some((pod) => budgets.filter((each) => keeps(each)(pod)).length > 1);
  const evidence = isTwice
    ? [
        `of a pod with two disruption budgets, the API server refuses every eviction: ${budgets.map(identity).join(", ")}`,
      ]
    : budgets.filter(allowsNone).map(told);
  if (evidence.length === 0) return [];
  const next = budgets.flatMap((each) => steps(each, isTwice));
  return [finding("not-evictable", `Deployment ${namespacedName(workload)}`, evidence, next)];
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

function steps(budget: DisruptionBudget, isTwice: boolean): Step[] {
  const { name } = budget.metadata;
  const look = beside(budget)`get poddisruptionbudget ${name} -o yaml`;
  if (!isTwice) return [look, { comment: "let it have maxUnavailable: 1, in what applies it" }];
  if (isOurs(budget)) return [look];
  const remove = beside(budget)`delete poddisruptionbudget ${name}`;
  return [look, { ...remove, comment: "in what applies it, too; or let it select other pods" }];
}
