import type { ContainerStatus, Pod } from "../kubernetes/kinds";
import { isCurrent, isReady } from "../kubernetes/pods";
import type { Severity } from "./finding";

export const outOfMemory = "was killed because it needed more memory than its limit";

/** Why a pod does not serve. */
export interface Trouble {
  readonly severity: Severity;
  readonly title: string;
  readonly container?: string | undefined;
  readonly evidence: readonly string[];
}

/** What is wrong with a pod, the cause before its consequences. */
export function troublesOf(pod: Pod): Trouble[] {
  const {
    reason,
    message = "",
    phase,
    conditions = [],
    initContainerStatuses = [],
    containerStatuses = [],
  } = pod.status ?? {};
  if (phase === "Failed" && reason === "Evicted")
    return [{ severity: "info", title: "was evicted", evidence: [message] }];
  if (!isCurrent(pod)) return [];
  const scheduled = conditions.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False")
    return [{ severity: "error", title: "cannot be scheduled", evidence: [scheduled.message ?? ""] }];
  const ofContainers = [...initContainerStatuses, ...containerStatuses].flatMap(ofContainer);
  if (ofContainers.length > 0) return ofContainers;
  if (isReady(pod)) return [];
  const waiting = [...initContainerStatuses, ...containerStatuses].flatMap(({ name, state, ready }) =>
    state?.waiting
      ? [`container ${name} waits: ${state.waiting.reason ?? "no reason"}`]
      : state?.running && ready !== true
        ? [`container ${name} runs, but is not ready`]
        : [],
  );
  return [
    {
      severity: "warning",
      title: "is not ready",
      container: containerStatuses[0]?.name,
      evidence: [...waiting, ...(message === "" ? [] : [message])],
    },
  ];
}

/** A container that waits for these has only just been started. */
const starting = new Set(["ContainerCreating", "PodInitializing"]);

function ofContainer({ name, state = {}, lastState = {}, restartCount = 0 }: ContainerStatus): Trouble[] {
  const { waiting } = state;
  const ended = [state.terminated, lastState.terminated].find((each) => each && each.exitCode !== 0);
  const last = ended
    ? [
        `container ${name} ended ${restartCount} times, last with ${ended.reason ?? "no reason"} (exit code ${ended.exitCode ?? "unknown"})${ended.finishedAt ? ` at ${ended.finishedAt}` : ""}`,
        ...(ended.message ? [firstLines(ended.message)] : []),
      ]
    : [];
  // If even the first process does not fit, runc says so.
  const isOutOfMemory =
    ended?.reason === "OOMKilled" || /OOM.killed|memory limit too low/i.test(`${waiting?.message} ${ended?.message}`);
  if (isOutOfMemory)
    return [
      {
        severity: state.running || state.terminated?.exitCode === 0 ? "warning" : "error",
        title: outOfMemory,
        container: name,
        evidence: [...last, ...(waiting?.message ? [waiting.message] : [])],
      },
    ];
  if (waiting?.reason === undefined || starting.has(waiting.reason)) return [];
  return [
    {
      severity: "error",
      title: titles[waiting.reason] ?? `cannot start: ${waiting.reason}`,
      container: name,
      evidence: [...last, ...(waiting.message === undefined ? [] : [firstLines(waiting.message)])],
    },
  ];
}

const titles: { readonly [reason: string]: string } = {
  CrashLoopBackOff: "ends again and again (CrashLoopBackOff)",
  ImagePullBackOff: "cannot pull its image",
  ErrImagePull: "cannot pull its image",
  ErrImageNeverPull: "cannot pull its image",
  InvalidImageName: "cannot pull its image",
};

function firstLines(text: string): string {
  return text.trim().split("\n").slice(0, 3).join(" ").slice(0, 500);
}
