import { Chart, Lazy } from "cdk8s";
import type { Construct } from "constructs";
import { without } from "../model/check/as-meant";
import { resolve } from "../model/check/resolve";
import { type Cluster, isCluster } from "../model/cluster/cluster";
import { namespace } from "../model/object-names";
import type { ClusterDnsProps } from "../model/props/cluster-dns";
import { dayOf } from "../model/syntax/day";
import { formatPath, isBelow, type Problem } from "../model/syntax/problem";
import { article } from "../model/syntax/show";

/** What a construct is given: the description of a cluster, or the cluster that another construct made of it. */
export type ComponentProps = ClusterDnsProps | Cluster;

/**
 * The cluster a construct is for: resolved from its props, or passed in already resolved.
 * @throws Error that names the construct and everything that is wrong with its props or its chart.
 */
export function resolvedCluster(construct: Construct, props: ComponentProps): Cluster {
  refuseOtherNamespace(construct);
  if (isCluster(props)) return props;
  const strange = unreadable(props);
  const { cluster, problems = [] } = resolve(without(props, strange), dayOf(new Date()));
  if (cluster && strange.length === 0) return cluster;
  // What holds them lacks them only here.
  const isWithout = ({ path }: Told) => strange.some((told) => isBelow(told.path, path));
  throw errorAbout(construct, [...strange, ...problems.filter((problem) => !isWithout(problem))]);
}

function errorAbout(construct: Construct, problems: readonly Told[]): Error {
  const lines = problems.map(({ path, message }) =>
    [construct.node.path, formatPath(path)].filter(Boolean).join(" ").concat(`: ${message}`),
  );
  return new Error([...new Set(lines)].join("\n"));
}

/** Names and permissions are those of Kubernetes' own DNS, all in one namespace: a chart cannot choose another. */
function refuseOtherNamespace(construct: Construct): void {
  const chart = construct.node.scopes.findLast(Chart.isChart);
  if (chart?.namespace === undefined || chart.namespace === namespace) return;
  const other = typeof chart.namespace === "string" ? `namespace ${chart.namespace}` : "a namespace to be resolved";
  throw new Error(
    `${construct.node.path} belongs in namespace ${namespace}, but chart ${chart.node.path} has ${other}; add it to a chart without a namespace`,
  );
}

type Told = Pick<Problem, "path" | "message">;

/** Values that no prop can have, with their paths: objects depend on all props, and a cluster file could not say these. */
function unreadable(value: unknown, path: Problem["path"] = [], above: readonly unknown[] = []): Told[] {
  if (typeof value !== "object" || value === null) return [];
  const why = whyUnreadable(value, above);
  if (why !== undefined) return [{ path, message: why }];
  const steps = Array.isArray(value) ? value.entries() : Object.entries(value);
  return [...steps].flatMap(([step, each]) => unreadable(each, [...path, step], [...above, value]));
}

function whyUnreadable(value: object, above: readonly unknown[]): string | undefined {
  if (value instanceof Lazy)
    return "is a Lazy value, but props are read when the construct is made; give the value itself";
  if (above.includes(value)) return "contains itself; accepted: plain values";
  if (Array.isArray(value)) return undefined;
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
  // `import * as props` gives a Module.
  return ["Object", "Module"].includes(kind) && !(Symbol.iterator in value)
    ? undefined
    : `is ${article(kind)}, whose entries would not be read; accepted: a plain object or list`;
}
