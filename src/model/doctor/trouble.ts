import type { ContainerStatus, Pod } from "../kubernetes/kinds";
import { isCurrent, isReady } from "../kubernetes/pods";
import type { Sparse } from "../syntax/sparse";
import type { FindingId } from "./findings";

/** How often within an hour, for which the API server keeps events, is again and again. */
export const again = 3;

/** Why a pod does not serve. */
export interface Trouble {
  readonly id: FindingId;
  readonly container?: string | undefined;
  /** Whether the container has a log. */
  readonly hasRun?: boolean;
  /** It runs, and may still be about to become ready. */
  readonly isStarting?: boolean;
  /** It was not asked to end, and so could not say why. */
  readonly isKilled?: boolean;
  readonly evidence: Sparse<string>;
}

/** What is wrong with a pod, the cause before its consequences. */
export function troublesOf(pod: Pod, now: Date): Trouble[] {
  const {
    reason,
    message,
    phase,
    conditions = [],
    initContainerStatuses = [],
    containerStatuses = [],
  } = pod.status ?? {};
  if (phase === "Failed" && reason === "Evicted") return [{ id: "evicted", evidence: message ?? "" }];
  if (!isCurrent(pod)) return [];
  const scheduled = conditions.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False")
    return [{ id: scheduled.reason === failedToBind ? "cannot-start" : "unschedulable", evidence: scheduled.message }];
  const statuses = [...initContainerStatuses, ...containerStatuses];
  const ofContainers = statuses.flatMap((each) => ofContainer(each, now));
  if (ofContainers.length > 0) return ofContainers;
  if (isReady(pod)) return [];
  const waiting = statuses.map(({ name, state, ready }) => {
    if (state?.waiting) return `container ${name} waits: ${state.waiting.reason ?? "no reason"}`;
    return state?.running && ready !== true && `container ${name} runs, but is not ready`;
  });
  const isTrue = (type: string) => conditions.some((each) => each.type === type && each.status === "True");
  const gates = (pod.spec.readinessGates ?? []).filter(({ conditionType }) => !isTrue(conditionType));
  const { nodeName, schedulerName = "default-scheduler" } = pod.spec;
  const first = containerStatuses.find(({ ready }) => ready !== true) ?? containerStatuses[0];
  return [
    {
      id: "not-ready",
      container: first?.name,
      hasRun: first !== undefined && hasRun(first),
      isStarting: now.getTime() - Date.parse(first?.state?.running?.startedAt ?? "") < startMs,
      evidence: [
        nodeName === undefined && `no scheduler has looked at it: its schedulerName is ${schedulerName}`,
        waiting,
        gates.map(({ conditionType }) => `its readiness gate ${conditionType} is not True`),
        message || undefined,
      ],
    },
  ];
}

/** Within which containers of DNS are ready after their start. */
const startMs = 60_000;

/** SIGKILL. */
const killed = 128 + 9;

/** The API server refuses what the scheduler writes (api/core/v1, PodReasonSchedulerError). */
const failedToBind = "SchedulerError";

function hasRun({ state = {}, lastState = {} }: ContainerStatus): boolean {
  return [state.running, state.terminated, lastState.terminated].some((each) => each !== undefined);
}

/** A container that waits for these has only just been started. */
const starting = new Set(["ContainerCreating", "PodInitializing"]);

function ofContainer(status: ContainerStatus, now: Date): Trouble[] {
  const { name, state = {}, lastState = {}, restartCount = 0 } = status;
  const { waiting } = state;
  const ended = [state.terminated, lastState.terminated].find((each) => each && each.exitCode !== 0);
  const evidence = [
    ended && [
      `container ${name} ended ${restartCount} times, last with ${ended.reason ?? "no reason"} (exit code ${ended.exitCode ?? "unknown"})${ended.finishedAt ? ` at ${ended.finishedAt}` : ""}`,
      firstLines(ended.message),
    ],
    firstLines(waiting?.message),
  ];
  const told = { container: name, hasRun: hasRun(status), isKilled: ended?.exitCode === killed, evidence };
  // If even the first process does not fit, runc says so.
  const isOutOfMemory =
    ended?.reason === "OOMKilled" || /OOM.killed|memory limit too low/i.test(`${waiting?.message} ${ended?.message}`);
  if (isOutOfMemory) {
    const isOver = state.running || state.terminated?.exitCode === 0;
    const isAgain = restartCount >= again && now.getTime() - Date.parse(ended?.finishedAt ?? "") < 3_600_000;
    return [{ id: isOver && !isAgain ? "out-of-memory-once" : "out-of-memory", ...told }];
  }
  if (waiting?.reason === undefined || starting.has(waiting.reason)) return [];
  const id = reasons[waiting.reason];
  return [
    id
      ? { id, ...told }
      : { ...told, id: "cannot-start", evidence: [`container ${name}: ${waiting.reason}`, evidence] },
  ];
}

const reasons: { readonly [reason: string]: FindingId } = {
  CrashLoopBackOff: "crash-loop",
  ImagePullBackOff: "image-not-pulled",
  ErrImagePull: "image-not-pulled",
  ErrImageNeverPull: "image-not-pulled",
  InvalidImageName: "image-not-pulled",
};

function firstLines(text = ""): string | undefined {
  return text === "" ? undefined : text.trim().split("\n").slice(0, 3).join(" ").slice(0, 500);
}
