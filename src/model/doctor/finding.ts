import type { Pod } from "../kubernetes/kinds";
import { nodesOf, placeOf } from "../kubernetes/pods";
import { some } from "../syntax/some";
import { dense, type Sparse } from "../syntax/sparse";
import { type FindingId, findings, type Severity } from "./findings";
import type { Suggestion, Suggestions } from "./suggestions";

/** Something in a cluster that an operator should know, and what to do about it. */
export interface Finding extends Place {
  readonly id: FindingId;
  readonly severity: Severity;
  readonly title: string;
  /** What was read, and what was expected. */
  readonly evidence: readonly string[];
  /** The first ones look closer, the last ones mend. */
  readonly next: readonly Suggestion[];
}

export interface Place {
  /** `Service kube-system/kube-dns`, `node node-1`, `5 pods of Deployment coredns` ... */
  readonly where: string;
  /** The nodes that it is about, if it is of nodes or pods. */
  readonly nodes?: readonly string[];
}

/** What a check finds. */
export type Findings = Sparse<Finding>;

/** A place that may be of several. */
interface Places extends Place {
  readonly isMany?: boolean;
  /** Those that `where` only counts. */
  readonly which?: string | false;
}

export function finding(id: FindingId, place: string | Places, evidence: Sparse<string>, next?: Suggestions): Finding {
  const { which, isMany = false, ...at }: Places = typeof place === "string" ? { where: place } : place;
  const [severity, titles] = findings[id];
  const title = titles.replaceAll(/\{(.*?)\|(.*?)\}/g, isMany ? "$2" : "$1");
  return { id, severity, title, ...at, evidence: dense([which, evidence]), next: dense(next) };
}

export function atPods(pods: readonly Pod[], of = ""): Places {
  return { ...atAll("pod", pods.map(placeOf), of), nodes: nodesOf(pods) };
}

export function atNodes(nodes: readonly string[]): Places {
  return { ...atAll("node", nodes), nodes };
}

/** The first by their names. */
export function atEach(names: readonly string[]): Places {
  return { where: some(names), isMany: names.length > 1 };
}

/** One by its name, more by their number. */
function atAll(what: string, all: readonly string[], of = ""): Places {
  const isMany = all.length !== 1;
  const where = isMany ? `${all.length} ${what}s` : `${what} ${all[0]}`;
  return { where: `${where}${of}`, isMany, which: isMany && some(all) };
}
