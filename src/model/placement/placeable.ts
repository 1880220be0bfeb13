import type { NodePlacement } from "../props/placement";
import { own } from "../syntax/mapping";
import { formatTaint, type Node } from "./node";
import { effectiveTolerations, isOfCondition, tolerates, unschedulableTaint } from "./tolerations";

export interface PlacedWorkload {
  /** Pods of a `DaemonSet` tolerate more than those of other kinds. */
  readonly kind: string;
  readonly hostNetwork: boolean;
}

export interface NodeMatch {
  readonly node: string;
  /** Every reason why pods may not run on it; empty if they may. */
  readonly reasons: readonly string[];
  /** Pods may start here and are evicted after this many seconds: they tolerate a NoExecute taint only for a time. */
  readonly evictedAfter?: number;
}

/** As the scheduler and the DaemonSet controller say. Free CPU and memory, which change by the minute, are left out. */
export function placeable(nodes: readonly Node[], placement: NodePlacement, workload: PlacedWorkload): NodeMatch[] {
  const selector = Object.entries(placement.nodeSelector ?? {});
  const tolerations = effectiveTolerations(placement.tolerations ?? [], workload);
  const toleratesCordon = tolerations.some((one) => tolerates(one, unschedulableTaint));

  return nodes.map(({ name, labels, taints, unschedulable }) => {
    const cordoned = unschedulable && !toleratesCordon;
    const reasons: string[] = [];
    for (const [key, value] of selector) {
      const got = own(labels, key);
      if (got !== value) reasons.push(labelReason(key, value, got));
    }
    if (cordoned) reasons.push("is cordoned");
    const seconds: number[] = [];
    for (const taint of taints) {
      if (taint.effect === "PreferNoSchedule" || (cordoned && taint.key === unschedulableTaint.key)) continue;
      const toleration = tolerations.find((one) => tolerates(one, taint));
      const goes = isOfCondition(taint) ? ", and goes once the node is ready" : "";
      if (!toleration) reasons.push(`taint ${formatTaint(taint)} is not tolerated${goes}`);
      else if (taint.effect === "NoExecute" && toleration.tolerationSeconds !== undefined)
        seconds.push(Math.max(0, toleration.tolerationSeconds));
    }
    const match = { node: name, reasons };
    return reasons.length === 0 && seconds.length > 0 ? { ...match, evictedAfter: Math.min(...seconds) } : match;
  });
}

function labelReason(key: string, value: string, got: string | undefined): string {
  const wanted = JSON.stringify(value);
  return got === undefined ? `has no label ${key}=${wanted}` : `label ${key} is ${JSON.stringify(got)}, not ${wanted}`;
}
