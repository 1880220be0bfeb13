import { identity } from "../kubernetes/object";
import { isReady, nodesOf, placeOf, readySince } from "../kubernetes/pods";
import { grouped } from "../syntax/grouped";
import { some } from "../syntax/some";
import { finding, type Findings } from "./finding";
import type { Patient } from "./patient";
import { beside, noted } from "./suggestions";

/** How long an old pod may be ready beside a new one that could replace it: the controller needs less than a second. */
const patienceSeconds = 60;

/** DaemonSets whose controller has not looked again since new pods could replace old ones (docs/scale.md). */
export function stalledRollouts(patient: Patient): Findings {
  const { now } = patient.state;
  const daemonSets = patient.dnsWorkloads.filter(({ kind }) => kind === "DaemonSet");
  return daemonSets.map((workload) => {
    const { metadata, spec } = workload;
    const before = now.getTime() - ((spec.minReadySeconds ?? 0) + patienceSeconds) * 1000;
    const settled = patient.podsOf(workload).filter((pod) => isReady(pod) && (readySince(pod) ?? before) < before);
    const ofNodes = grouped(settled, ({ spec: { nodeName } }) => nodeName);
    const twice = ofNodes.flatMap(([, pods]) => (pods.length > 1 ? pods : []));
    const look = beside(workload)`annotate --overwrite daemonset ${metadata.name} looked-at=${now.toISOString()}`;
    return (
      twice.length > 0 &&
      finding(
        "rollout-stalled",
        identity(workload),
        `two pods on each of ${nodesOf(twice).length} nodes are ready for more than a minute: ${some(twice.map(placeOf))}`,
        noted(look, "the controller looks again; the nodes after these may need it, too"),
      )
    );
  });
}
