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
  /** The first ones look closer, the last ones mend. */
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

export function atPods(pods: readonly Pod[], of = ""): Place & { which: readonly string[] } {
  return { ...atAll("pod", pods.map(placeOf), of), nodes: nodesOf(pods) };
}

export function atNodes(nodes: readonly string[]): Place & { which: readonly string[] } {
  return { ...atAll("node", nodes), nodes };
}

/** One by its name, more by their number. */
function atAll(what: string, all: readonly string[], of = "") {
  const where = all.length === 1 ? `${what} ${all[0]}` : `${all.length} ${what}s`;
  return { where: `${where}${of}`, which: all.length > 1 ? [some(all)] : [] };
}
