import type { Pod } from "../kubernetes/kinds";
import { isCurrent, isReady, nodesOf } from "../kubernetes/pods";
import { type Complaint, knownComplaints } from "./complaints";
import { answeringServer, lossOf, serverIn } from "./forwarded";
import { outsideServers, zonesAsked } from "./outside-servers";
import { atPods, type Finding, finding } from "./finding";
import { grouped } from "../syntax/grouped";
import { lastOf } from "./judge-log";
import type { ClusterState } from "../running/cluster-state";
import { dense } from "../syntax/sparse";
import type { Complained } from "../running/log-facts";
import { applying, isBehind, systemPods } from "./described";
import type { Patient } from "./patient";
import { beside, look, onNode } from "./suggestions";
import { foreignPolicies, toldPolicy } from "./toward-cluster-dns";

/** How far back logs are read. */
export const sinceMinutes = 10;

/** How many lines are read of each container, the last ones; of all, no more than are read within seconds. */
export function linesOfEach(state: Pick<ClusterState, "pods" | "dnsNamespaces">): number {
  const share = Math.floor(allLines / systemPods(state).length);
  return Math.min(Math.max(share, fewestLines), mostLines);
}

const allLines = 200_000;
const [fewestLines, mostLines] = [10, 1000];

/** Of what recurs while it lasts, without another line for so long, a pod that is ready is rid. */
const oldMinutes = 3;

/** The lines of a complaint in one log. */
interface Said extends Complained {
  readonly pod: string;
  readonly container: string;
  /** Whether earlier lines were left out. */
  readonly isCut: boolean;
}

/** What CoreDNS complains about in the logs that were read. */
export function logs(patient: Patient): Finding[] {
  const known = knownComplaints(patient);
  const most = linesOfEach(patient.state);
  const all = [...patient.state.logs].flatMap(([pod, containers]) =>
    [...containers].flatMap(([container, { lines, complaints }]) =>
      complaints.map((each): Said => ({ ...each, pod, container, isCut: lines >= most })),
    ),
  );
  const told = grouped(all, (each) => known[each.complaint]).flatMap(([complaint, same]) =>
    complaint ? enough(complaint, same).map((said) => ({ complaint, said })) : [],
  );
  const dnsPods = new Set(patient.dnsPods.map(({ metadata }) => metadata.name));
  const ofDns = told.filter(({ said }) => dnsPods.has(said.pod));
  const lastOfDns = new Map(
    grouped(ofDns, ({ complaint }) => complaint.id).map(([id, same]) => [
      id,
      Math.max(...same.map(({ said }) => whenSaid(said))),
    ]),
  );
  const causes = told.filter(
    ({ complaint: { causedBy }, said }) =>
      !causedBy || (lastOfDns.get(causedBy) ?? 0) < whenSaid(said) - oldMinutes * 60_000,
  );
  return grouped(causes, ({ complaint }) => complaint.id).map(([, same]) => {
    const [{ complaint, said }, ...more] = same;
    return findingOf(complaint, [said, ...more.map((each) => each.said)], patient);
  });
}

function enough({ atLeast = 1, atLeastPerPod = 1 }: Complaint, said: readonly Said[]): readonly Said[] {
  const same = grouped(said, ({ pod }) => pod).flatMap(([, ofPod]) => (countOf(ofPod) >= atLeastPerPod ? ofPod : []));
  return countOf(same) >= atLeast ? same : [];
}

function countOf(said: readonly Said[]): number {
  return said.reduce((sum, { count }) => sum + count, 0);
}

/** When it was said last; in a log without times, now. */
function whenSaid({ time = Infinity }: Said): number {
  return time;
}

function findingOf(
  { id, rarely, isLasting, isOfNetwork, evidence, next }: Complaint,
  same: readonly [Said, ...Said[]],
  patient: Patient,
): Finding {
  const last = lastOf(same);
  const count = countOf(same);
  const saying = new Set(same.map(({ pod }) => pod));
  const pods = patient.systemPods.filter(({ metadata }) => saying.has(metadata.name));
  const place = pods.length === saying.size ? atPods(pods) : { where: `pod ${last.pod}` };
  const at = { ...place, where: `${saying.size === 1 ? "log" : "logs"} of ${place.where}` };
  const pod = pods.find(({ metadata }) => metadata.name === last.pod) ?? { metadata: { name: last.pod } };
  const { time } = last;
  const minutes = time && Math.max(0, Math.floor((patient.state.now.getTime() - time) / 60_000));
  const when = time ? ` at ${new Date(time).toISOString().replace(/\.\d+/, "")}, ${minutes} min ago` : "";
  // Kubelets are asked for no older lines: what is older was written by a clock that is not ours.
  const isOld = minutes !== undefined && minutes >= oldMinutes && minutes <= sinceMinutes;
  const isOver = pods.every((each) => isReady(each) || !isCurrent(each));
  // A cache is on its node's network.
  const isShut = isOfNetwork === true && pods.some(isBehind(patient.cluster));
  const policies = isShut ? foreignPolicies(patient) : [];
  const loss = rarely && lossIn(same, patient);
  const answering = new Set(dense(same.map((each) => answeringServer(each, patient))));
  const told = (loss === "few" && policies.length === 0 && rarely) || id;
  if ((isOld || loss === "over") && isLasting !== true && isOver)
    return { ...finding("earlier", at, []), title: `${finding(told, at, []).title}: ${minutes} min ago, not since` };
  const [container = "", previous = ""] = last.container.split(" ");
  const name = id === "upstream-silent" ? onlyName(same) : undefined;
  const isUnforwarded = id === "upstream-silent" && isOnlyOfPods(pods, patient);
  return finding(
    name === undefined ? told : "one-name-unanswered",
    at,
    [
      `${same.some(({ isCut }) => isCut) ? "at least " : ""}${count === 1 ? "once" : `${count} times`} in ${sinceMinutes} minutes, last${when}: ${last.text}`,
      name !== undefined && `all for ${name}: perhaps nobody answers for this name`,
      zonesAsked(dense(same.map(({ text }) => serverIn(text))), patient.described),
      told === "upstream-silent" &&
        [...answering].map((server) => `${server} answers others meanwhile: is it silent only for some names?`),
      evidence,
      policies.map(toldPolicy),
      isUnforwarded && "no cache on a node's own network says so: perhaps nodes do not forward what pods send",
    ],
    [
      beside(pod)`logs ${last.pod} -c ${container} --since=${String(sinceMinutes)}m --timestamps ${previous}`,
      policies.map(look),
      // Whether nodes forward what their pods send.
      isUnforwarded && [
        onNode(`on ${nodesOf(pods).join(", ")}: 1 forwards`)`sysctl net.ipv4.ip_forward`,
        onNode(`on ${nodesOf(pods).join(", ")}: does its policy drop?`)`iptables -S FORWARD`,
      ],
      next?.({
        pod,
        nodes: nodesOf(pods),
        outside: outsideServers(patient.described),
        apply: patient.described ? applying(patient.described) : [],
      }),
    ],
  );
}

/** What the lines of several logs are, where servers answer meanwhile; `few` also if each pod has one. */
function lossIn(same: readonly Said[], patient: Patient): "few" | "over" | undefined {
  const losses = same.map((each) => lossOf(each, sinceMinutes, patient));
  if (same.length === countOf(same) || losses.every((loss) => loss === "few")) return "few";
  return losses.includes(undefined) ? undefined : "over";
}

/** Whether only pods complain, and no cache that also asks outside, from its node's own network. */
function isOnlyOfPods(saying: readonly Pod[], patient: Patient): boolean {
  const isOfNode = ({ spec }: Pod) => spec.hostNetwork === true;
  const isRead = ({ metadata }: Pod) => patient.state.logs.has(metadata.name);
  const { isAll = false } = patient.cluster?.components.nodeLocalDns?.names.askedThere ?? {};
  return (
    !isAll &&
    saying.length > 0 &&
    !saying.some(isOfNode) &&
    patient.systemPods.some((pod) => isOfNode(pod) && isRead(pod))
  );
}

/** A name whose own servers are silent looks like a silent resolver; any pod may ask for one. */
function onlyName(said: readonly Said[]): string | undefined {
  const [name, ...more] = new Set(said.map((each) => each.name));
  return more.length === 0 ? name?.slice(0, 253) : undefined;
}
