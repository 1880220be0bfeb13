import type { Pod } from "../kubernetes/kinds";
import { isCurrent, isReady, nodesOf } from "../kubernetes/pods";
import { type Complaint, complaints, complaintsOfCaches, failedQuery } from "./complaints";
import { outsideServers } from "./outside-servers";
import { atPods, type Finding, finding } from "./finding";
import { grouped } from "../syntax/grouped";
import { findings } from "./findings";
import { type LogLine, logLines } from "./log-lines";
import type { ClusterState } from "../running/cluster-state";
import { applying, type Described, isBehind, systemPods } from "./described";
import { beside } from "./steps";
import { foreignPolicies, toldPolicy } from "./toward-cluster-dns";

/** How far back logs are read. */
export const sinceMinutes = 10;

/** How many lines are read of each container, the last ones; of all, no more than doctor has memory for: 0.8 kB each. */
export function linesOfEach(state: Pick<ClusterState, "pods" | "dnsNamespaces">): number {
  const share = Math.floor(allLines / systemPods(state).length);
  return Math.min(Math.max(share, fewestLines), mostLines);
}

const allLines = 200_000;
const [fewestLines, mostLines] = [10, 1000];

/** Of what recurs while it lasts, without another line for so long, a pod that is ready is rid. */
const oldMinutes = 3;

interface Line extends LogLine {
  readonly pod: string;
  readonly container: string;
  /** Whether earlier lines were left out. */
  readonly isCut: boolean;
}

/** What CoreDNS complains about in the logs that were read. */
export function logs(state: ClusterState, described?: Described): Finding[] {
  const known = [...complaintsOfCaches(state, described), ...complaints];
  const readyTimes = new Map(systemPods(state).map((pod) => [pod.metadata.name, readyTime(pod)]));
  const most = linesOfEach(state);
  const lines = [...state.logs].flatMap(([pod, containers]) =>
    [...containers].flatMap(([container, log]) => {
      const all = logLines(log);
      return all.map((line): Line => ({ ...line, pod, container, isCut: all.length >= most }));
    }),
  );
  // Each line once, by the first that knows it: the cause of the others.
  const complaintOf = ({ pod, container, text, time }: Line) => {
    const said = withoutQuery(text);
    const complaint = known.find(({ pattern, of = "" }) => pod.startsWith(of) && pattern.test(said));
    const readySince = readyTimes.get(pod);
    const isMended = container.endsWith(" --previous")
      ? complaint?.ends !== true
      : complaint?.untilReady === true && time !== undefined && readySince !== undefined && time < readySince;
    return isMended ? undefined : complaint;
  };
  const told = grouped(lines, complaintOf).flatMap(([complaint, same]) =>
    complaint ? enough(complaint, same).map((line) => ({ complaint, line })) : [],
  );
  return grouped(told, ({ complaint }) => complaint.id).flatMap(([, same]) => {
    const [first] = same;
    const ofOne = same.map(({ line }) => line);
    const last = lastOf(ofOne);
    return first && last ? [findingOf(first.complaint, ofOne, last, state, described)] : [];
  });
}

function enough({ atLeast = 1, atLeastPerPod = 1 }: Complaint, lines: readonly Line[]): readonly Line[] {
  const same = grouped(lines, ({ pod }) => pod).flatMap(([, ofPod]) => (ofPod.length >= atLeastPerPod ? ofPod : []));
  return same.length >= atLeast ? same : [];
}

function findingOf(
  { id, isLasting, isOfNetwork, evidence = [], next }: Complaint,
  same: readonly Line[],
  last: Line,
  state: ClusterState,
  described: Described | undefined,
): Finding {
  const saying = new Set(same.map(({ pod }) => pod));
  const pods = systemPods(state).filter(({ metadata }) => saying.has(metadata.name));
  const place = pods.length === saying.size ? atPods(pods) : { where: `pod ${last.pod}`, which: [] };
  const at = { ...place, where: `${saying.size === 1 ? "log" : "logs"} of ${place.where}` };
  const pod = pods.find(({ metadata }) => metadata.name === last.pod) ?? { metadata: { name: last.pod } };
  const minutes = minutesAgo(last, state);
  // Kubelets are asked for no older lines: what is older was written by a clock that is not ours.
  const isOld = minutes !== undefined && minutes >= oldMinutes && minutes <= sinceMinutes;
  const isOver = pods.every((each) => isReady(each) || !isCurrent(each));
  if (isOld && isLasting !== true && isOver)
    return { ...finding("earlier", at, []), title: `${findings[id][1]}: ${minutes} min ago, not since` };
  const [container = "", previous = ""] = last.container.split(" ");
  const name = id === "upstream-silent" ? onlyName(same) : undefined;
  // A cache is on its node's network.
  const isShut = isOfNetwork === true && pods.some(isBehind(described?.cluster.dnsService));
  const policies = isShut ? foreignPolicies(state, described) : [];
  return finding(
    name === undefined ? id : "one-name-unanswered",
    at,
    [
      `${same.some(({ isCut }) => isCut) ? "at least " : ""}${same.length === 1 ? "once" : `${same.length} times`} in ${sinceMinutes} minutes, last${when(last, minutes)}: ${last.text.trim().slice(0, 400)}`,
      ...(name === undefined ? [] : [`all for ${name}: perhaps nobody answers for this name`]),
      ...evidence,
      ...policies.map(toldPolicy),
    ],
    [
      beside(pod)`logs ${last.pod} -c ${container} --since=${String(sinceMinutes)}m --timestamps ${previous}`,
      ...policies.map((each) => beside(each)`get networkpolicy ${each.metadata.name} -o yaml`),
      ...(next?.({
        pod,
        nodes: nodesOf(pods),
        outside: outsideServers(described),
        apply: described ? applying(described) : [],
      }) ?? []),
    ],
  );
}

function lastOf(lines: readonly Line[]): Line | undefined {
  return lines.reduce<Line | undefined>(
    (last, each) => (last?.time && each.time && each.time < last.time ? last : each),
    undefined,
  );
}

function minutesAgo({ time }: LogLine, { now }: ClusterState): number | undefined {
  return time && Math.max(0, Math.floor((now.getTime() - time.getTime()) / 60_000));
}

function when({ time }: LogLine, minutes: number | undefined): string {
  return time === undefined ? "" : ` at ${time.toISOString().replace(/\.\d+/, "")}, ${minutes} min ago`;
}

function readyTime({ status }: Pod): Date | undefined {
  const ready = status?.conditions?.find(({ type, status: is }) => type === "Ready" && is === "True");
  return ready?.lastTransitionTime === undefined ? undefined : new Date(ready.lastTransitionTime);
}

/** Without the name in a query, which any pod may choose: a name may read like a complaint. */
function withoutQuery(line: string): string {
  // Queries as plugin `log` writes them.
  if (/^\[INFO\] (?!plugin\/)/.test(line)) return "";
  return line.replace(failedQuery, "$1");
}

/** A name whose own servers are silent looks like a silent resolver; any pod may ask for one. */
function onlyName(lines: readonly Line[]): string | undefined {
  const [name, ...more] = new Set(lines.map(({ text }) => failedQuery.exec(text)?.[2]?.toLowerCase()));
  return more.length === 0 && lines.every(({ text }) => text.includes("i/o timeout") && !text.includes(" HINFO: "))
    ? name?.slice(0, 253)
    : undefined;
}
