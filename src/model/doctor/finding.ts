import type { Pod } from "../kubernetes/kinds";
import { nodesOf, placeOf } from "../kubernetes/pods";
import { some } from "../syntax/some";
import { dense, type Sparse } from "../syntax/sparse";
import { type FindingId, findings, type Severity } from "./findings";
import type { Step, Steps } from "./steps";

/** Something in a cluster that an operator should know, and what to do about it. */
export interface Finding extends Place {
  readonly id: FindingId;
  readonly severity: Severity;
  readonly title: string;
  /** What was read, and what was expected. */
  readonly evidence: readonly string[];
  /** The first ones look closer, the last one mends. */
  readonly next: readonly Step[];
}

export interface Place {
  /** `Service kube-system/kube-dns`, `node node-1`, `5 pods of Deployment coredns` ... */
  readonly where: string;
  /** The nodes that it is about, if it is of nodes or pods. */
  readonly nodes?: readonly string[];
}

/** What a check finds. */
export type Findings = Sparse<Finding>;

export function finding(
  id: FindingId,
  place: string | (Place & { readonly which?: readonly string[] }),
  evidence: Sparse<string>,
  next?: Steps,
): Finding {
  const { which = [], ...at } = typeof place === "string" ? { where: place } : place;
  const [severity, title] = findings[id];
  return { id, severity, title, ...at, evidence: dense([which, evidence]), next: dense(next) };
}

/** One pod by name, more by their number. */
export function atPods(pods: readonly Pod[], of = ""): Place & { which: readonly string[] } {
  const all = pods.map(placeOf);
  const where = `${all.length === 1 ? `pod ${all[0]}` : `${all.length} pods`}${of}`;
  return { where, nodes: nodesOf(pods), which: all.length > 1 ? [some(all)] : [] };
}

/** One node by name, more by their number. */
export function atNodes(nodes: readonly string[]): Place & { which: readonly string[] } {
  const isOne = nodes.length === 1;
  return { where: isOne ? `node ${nodes[0]}` : `${nodes.length} nodes`, nodes, which: isOne ? [] : [some(nodes)] };
}
