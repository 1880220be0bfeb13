import type { Job } from "../kubernetes/kinds";
import { lastWarning } from "../kubernetes/last-warning";
import { namespacedName } from "../kubernetes/object";
import { nodesOf } from "../kubernetes/pods";
import { selects } from "../kubernetes/selectors";
import { names } from "../object-names";
import { isSame } from "./drift";
import { type Finding, finding } from "./finding";
import type { ClusterState } from "../running/cluster-state";
import { type Described, rendered, systemPods } from "./described";
import { kubectl, type Step, system } from "./steps";

/** Jobs of the smoke test that failed: those of this description, or, where it has not been applied, all. */
export function smokeTest(state: ClusterState, described?: Described): Finding[] {
  const all = (state.jobs ?? []).filter(({ metadata }) => selects({ "k8s-app": names.smokeTest }, metadata));
  const wanted = rendered<Job>(described, "Job");
  const current = all.filter((each) => wanted.some((one) => isSame(one, each)));
  return (current.length > 0 ? current : all).flatMap((job): Finding[] => {
    const failed = job.status?.conditions?.find(({ type, status }) => type === "Failed" && status === "True");
    if (!failed) return [];
    const { name } = job.metadata;
    const where = `Job ${namespacedName(job)}`;
    // A failed one is not tried again by itself.
    const remove = system`delete job -l k8s-app=${names.smokeTest}`;
    const again = described ? [remove, ...(wanted.length > 0 ? [applyingAgain(described)] : [])] : [];
    const describe = system`describe job ${name}`;
    if (isOverdue(job)) {
      const isCause = (kind: string | undefined, of: string, reason: string | undefined) =>
        reason !== "DeadlineExceeded" && (kind === "Job" ? of === name : kind === "Pod" && of.startsWith(`${name}-`));
      const cause = lastWarning(state.events ?? [], isCause, job.metadata.creationTimestamp);
      const evidence = [
        ...(cause === undefined ? [] : [cause]),
        `its pod could not start or end in time: if ${cause !== undefined ? "that is not the cause" : "events name no cause"}, see smokeTest.timeout and smokeTest.nodePlacement`,
      ];
      const next = [describe, system`get events --sort-by=.lastTimestamp`, ...again];
      return [finding("smoke-test-overdue", where, evidence, next)];
    }
    const pods = systemPods(state).filter(({ metadata }) => selects({ "job-name": name }, metadata));
    const reports = pods
      .flatMap(({ status }) => status?.containerStatuses ?? [])
      .flatMap((each) => each.state?.terminated?.message?.trim().split("\n") ?? []);
    const evidence = reports.length > 0 ? reports.slice(-lines) : [failed.message ?? "its pod says no reason"];
    const nodes = nodesOf(pods);
    const on = nodes.length > 0 ? `${where} on ${nodes.join(", ")}` : where;
    return [finding("smoke-test-failed", { where: on, nodes }, evidence, [describe, ...again])];
  });
}

/** Whether a Job is of the smoke test, and ended without a report. */
function isOverdue({ metadata, status }: Job): boolean {
  const failed = status?.conditions?.find((each) => each.type === "Failed" && each.status === "True");
  return selects({ "k8s-app": names.smokeTest }, metadata) && failed?.reason === "DeadlineExceeded";
}

/** Nothing but the smoke test; what is in `dist/` of the rest may be another version than the one that runs. */
function applyingAgain({ name, cluster: { gitops }, folder }: Described): Step {
  if (gitops?.argocd) return { comment: `Argo CD creates both again at once: Application cluster-dns-${name}` };
  return gitops?.flux
    ? {
        program: "flux",
        args: ["reconcile", "kustomization", names.smokeTest, "-n", gitops.flux.namespace],
        takesContext: true,
      }
    : kubectl`apply --server-side -k ${`${folder}/${name}/smoke-test`}`;
}

/** Of a report, whose end says most. */
const lines = 8;
