import { defaults } from "../defaults";
import type { Event, Job } from "../kubernetes/kinds";
import { namespacedName } from "../kubernetes/object";
import { nodesOf } from "../kubernetes/pods";
import { selects } from "../kubernetes/selectors";
import { names, namespace } from "../object-names";
import type { Finding } from "./finding";
import { type Described, type Observed, rendered, sameName, systemPods } from "./observed";

/** Jobs of the smoke test that failed: those of this description, or, where it has not been applied, all. */
export function smokeTest(observed: Observed, described?: Described): Finding[] {
  const all = (observed.jobs ?? []).filter(({ metadata }) => selects({ "k8s-app": names.smokeTest }, metadata));
  const wanted = rendered<Job>(described, "Job");
  const current = wanted.flatMap((each) => sameName(all, each) ?? []);
  return (current.length > 0 ? current : all).flatMap((job): Finding[] => {
    const failed = job.status?.conditions?.find(({ type, status }) => type === "Failed" && status === "True");
    if (!failed) return [];
    const { name } = job.metadata;
    const where = `Job ${namespacedName(job)}`;
    // A failed one is not tried again by itself.
    const again = described
      ? [
          `kubectl delete job -n ${namespace} -l k8s-app=${names.smokeTest}`,
          ...(wanted.length > 0 ? [applyingAgain(described)] : []),
        ]
      : [];
    const describe = `kubectl describe job ${name} -n ${namespace}`;
    if (isOverdue(job)) {
      const cause = lastWarning(job, observed.events ?? []);
      const evidence = [
        ...(cause ? [`${cause.reason}: ${cause.message?.slice(0, 500) ?? ""}`] : []),
        `its pod could not start or end in time: if ${cause ? "that is not the cause" : "events name no cause"}, see smokeTest.timeout and smokeTest.nodePlacement`,
      ];
      const next = [describe, `kubectl get events -n ${namespace} --sort-by=.lastTimestamp`, ...again];
      return [{ severity: "error", title: "the smoke test took longer than its timeout", where, evidence, next }];
    }
    const pods = systemPods(observed).filter(({ metadata }) => selects({ "job-name": name }, metadata));
    const reports = pods
      .flatMap(({ status }) => status?.containerStatuses ?? [])
      .flatMap(({ state }) => state?.terminated?.message?.trim().split("\n") ?? []);
    const evidence = reports.length > 0 ? reports.slice(-lines) : [failed.message ?? "its pod says no reason"];
    const nodes = nodesOf(pods);
    const on = nodes.length > 0 ? `${where} on ${nodes.join(", ")}` : where;
    return [
      { severity: "error", title: "the smoke test failed", where: on, nodes, evidence, next: [describe, ...again] },
    ];
  });
}

/** Whether a Job is of the smoke test, and ended without a report. */
export function isOverdue({ metadata, status }: Job): boolean {
  const failed = status?.conditions?.find((each) => each.type === "Failed" && each.status === "True");
  return selects({ "k8s-app": names.smokeTest }, metadata) && failed?.reason === "DeadlineExceeded";
}

/** Why it has no pod, or its pod did not run; of an earlier Job of the same name, events may be left. */
function lastWarning({ metadata: { name, creationTimestamp = "" } }: Job, events: readonly Event[]): Event | undefined {
  const timeOf = ({ lastTimestamp, eventTime, metadata }: Event) =>
    lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? "";
  return events
    .filter(({ reason }) => reason !== "DeadlineExceeded")
    .filter(({ involvedObject: { kind, name: of = "" } }) =>
      kind === "Job" ? of === name : kind === "Pod" && of.startsWith(`${name}-`),
    )
    .filter((event) => timeOf(event) >= creationTimestamp)
    .sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))
    .at(-1);
}

/** Nothing but the smoke test; what is in `dist/` of the rest may be another version than the one that runs. */
function applyingAgain({ name, cluster: { gitops }, folder }: Described): string {
  if (gitops?.argocd) return `# Argo CD creates both again at once: Application cluster-dns-${name}`;
  return gitops?.flux
    ? `flux reconcile kustomization ${names.smokeTest} -n ${gitops.flux.namespace ?? defaults.flux.namespace}`
    : `kubectl apply --server-side -k ${folder}/${name}/smoke-test`;
}

/** Of a report, whose end says most. */
const lines = 8;
