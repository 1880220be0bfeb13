import { applierOf } from "../gitops/objects";
import type { Job } from "../kubernetes/kinds";
import { lastWarning } from "../kubernetes/last-warning";
import { identity } from "../kubernetes/object";
import { nodesOf } from "../kubernetes/pods";
import { selects } from "../kubernetes/selectors";
import { names } from "../object-names";
import { isSame } from "./drift";
import { type Finding, finding, type Findings } from "./finding";
import type { Patient } from "./patient";
import { type Suggestions, about, system } from "./suggestions";

/** Jobs of the smoke test that failed: those of this description, or, where it has not been applied, all. */
export function smokeTest(patient: Patient): Findings {
  const all = (patient.state.jobs ?? []).filter(({ metadata }) => selects({ "k8s-app": names.smokeTest }, metadata));
  const wanted = patient.rendered<Job>("Job");
  const current = all.filter((each) => wanted.some((one) => isSame(one, each)));
  // A failed one is not tried again by itself.
  const { described } = patient;
  const again = described && [
    system`delete job -l k8s-app=${names.smokeTest}`,
    wanted.length > 0 &&
      applierOf(described.cluster.said.gitops).testAgain(described.name, `${described.folder}/${described.name}`),
  ];
  return (current.length > 0 ? current : all).map((job) => {
    const failed = job.status?.conditions?.find(({ type, status }) => type === "Failed" && status === "True");
    if (!failed) return undefined;
    return failed.reason === "DeadlineExceeded"
      ? overdue(job, patient, again)
      : reported(job, failed.message, patient, again);
  });
}

/** It ended without a report. */
function overdue(job: Job, { state: { events = [] } }: Patient, again: Suggestions): Finding {
  const { name, creationTimestamp } = job.metadata;
  const isCause = (kind: string | undefined, of: string, reason: string | undefined) =>
    reason !== "DeadlineExceeded" && (kind === "Job" ? of === name : kind === "Pod" && of.startsWith(`${name}-`));
  const cause = lastWarning(events, isCause, creationTimestamp);
  return finding(
    "smoke-test-overdue",
    identity(job),
    [
      cause,
      `its pod could not start or end in time: if ${cause !== undefined ? "that is not the cause" : "events name no cause"}, see smokeTest.timeout and smokeTest.nodePlacement`,
    ],
    [about(job, "describe"), system`get events --sort-by=.lastTimestamp`, again],
  );
}

function reported(job: Job, message: string | undefined, patient: Patient, again: Suggestions): Finding {
  const { name } = job.metadata;
  const pods = patient.systemPods.filter(({ metadata }) => selects({ "job-name": name }, metadata));
  const report = pods
    .flatMap(({ status }) => status?.containerStatuses ?? [])
    .flatMap((each) => each.state?.terminated?.message?.trim().split("\n") ?? []);
  const evidence = report.length > 0 ? report.slice(-lines) : (message ?? "its pod says no reason");
  const nodes = nodesOf(pods);
  const where = nodes.length > 0 ? `${identity(job)} on ${nodes.join(", ")}` : identity(job);
  return finding("smoke-test-failed", { where, nodes }, evidence, [about(job, "describe"), again]);
}

/** Of a report, whose end says most. */
const lines = 8;
