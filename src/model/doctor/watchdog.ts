import type { Pod } from "../kubernetes/kinds";
import { namespacedName } from "../kubernetes/object";
import { isCurrent, nodesOf } from "../kubernetes/pods";
import { names, namespace } from "../object-names";
import { grouped } from "../syntax/grouped";
import { firstOf, some } from "../syntax/some";
import { dense } from "../syntax/sparse";
import { atNodes, type Finding, finding, type Findings } from "./finding";
import type { Patient } from "./patient";
import { onNode, system } from "./suggestions";
import { towardClusterDns } from "./toward-cluster-dns";
import { type Condition, conditions, type Read, samplesOf } from "./watchdog-conditions";

/** Link, rules, switch and listeners of each node, from what its watchdog measures. */
export function watchdogs(patient: Patient): Findings {
  if (patient.cluster?.components.watchdog?.config.metrics.address === "127.0.0.1")
    return finding(
      "watchdog-unread",
      `DaemonSet ${namespace}/${names.watchdog}`,
      "the cluster file says metricsAddress: loopback, so that only programs on the node can read them",
      onNode("on a node")`curl -s http://127.0.0.1:9254/metrics`,
    );
  const caches = patient.podsOfApp(names.nodeLocalDns).filter(isCurrent);
  // Of two on a node, the first.
  const cacheOf = new Map(caches.toReversed().map((pod) => [pod.spec.nodeName, pod]));
  const read = patient
    .podsOfApp(names.watchdog)
    .filter(isCurrent)
    .sort((a, b) => (a.spec.nodeName ?? "").localeCompare(b.spec.nodeName ?? "", "en"))
    .flatMap((pod): Read[] => {
      const samples = patient.state.metrics.get(pod.metadata.name);
      const logs = patient.state.logs.get(pod.metadata.name)?.values();
      const cache = cacheOf.get(pod.spec.nodeName);
      return samples ? [{ pod, samples, cache, logs: logs && [...logs] }] : [];
    });
  return conditions.map((condition) => ofNodes(condition, read, patient));
}

/** All nodes that meet a condition are one finding, which looks at the first of them, and mends all. */
function ofNodes(condition: Condition, read: readonly Read[], patient: Patient): Finding | undefined {
  const { id, mend } = condition;
  const [first, ...more] = read.flatMap((each) => {
    const evidence = evidenceOf(condition, each);
    return evidence ? [{ ...each, evidence }] : [];
  });
  if (!first) return undefined;
  const same = [first, ...more] as const;
  const nodes = nodesOf(same.map(({ pod }) => pod));
  const isOfWay = id === "cluster-dns-unreachable" || id === "cluster-dns-lossy";
  const way = isOfWay ? towardClusterDns(nodes.slice(0, 3), patient) : undefined;
  const reaching = read.length - same.length;
  return finding(
    id,
    atNodes(nodes),
    [
      mergeEvidence(same),
      id === "cluster-dns-unreachable" &&
        reaching > 0 &&
        `${reaching} of ${read.length} nodes reach it: the fault is on a node that does not, or on its way`,
      way?.evidence,
    ],
    [
      system`logs ${first.pod.metadata.name} --tail=50`,
      system`get pods -o wide --field-selector spec.nodeName=${nodes[0] ?? ""}`,
      way?.next,
      mend?.(some(nodes), same),
    ],
  );
}

/** Undefined if the node does not meet the condition. */
function evidenceOf({ metric, below, evidence, onlyIf, isLogged }: Condition, read: Read): string[] | undefined {
  const matching = samplesOf(read.samples, metric, below);
  if (matching.length === 0 || (onlyIf && !onlyIf(read))) return undefined;
  return dense([evidence(matching, read.samples), isLogged && complaint(read)]);
}

/** Each text once, with its nodes where not all have it. */
function mergeEvidence(same: readonly { readonly pod: Pod; readonly evidence: readonly string[] }[]): string[] {
  const said = same.flatMap(({ pod, evidence }) => evidence.map((text) => ({ text, pod })));
  const texts = grouped(said, ({ text }) => text).map(([text, saying]) =>
    saying.length === same.length ? text : `${text} (${some(nodesOf(saying.map(({ pod }) => pod)))})`,
  );
  // All of the first node, and a few of the others.
  return firstOf(texts, (same[0]?.evidence.length ?? 0) + 3, "more like these");
}

/** What the watchdog last complained about. */
function complaint({ pod, logs = [] }: Pick<Read, "pod" | "logs">): string | undefined {
  const last = logs.findLast(({ warning }) => warning !== undefined)?.warning;
  return last === undefined ? undefined : `the last complaint in the log of ${namespacedName(pod)}: ${last}`;
}
