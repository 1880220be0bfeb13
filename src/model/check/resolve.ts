import { clusterOf, type Cluster } from "../cluster/cluster";
import { fillIn } from "../full-props/fill-in";
import type { ClusterDnsProps } from "../props/cluster-dns";
import { withAgentImage } from "../agent-image";
import { grouped } from "../syntax/grouped";
import type { Problem } from "../syntax/problem";
import { shapeProblems, type ShapeProblem } from "../syntax/shape";
import { addressRules } from "./addresses";
import { admissionRules } from "./admission";
import { componentRules } from "./components";
import { corefileRules } from "./corefile-additions";
import { dnsServiceRules } from "./dns-service";
import { familyOptionRules } from "./family-options";
import { federationRules } from "./federation";
import { forwardOptionRules } from "./forward-options";
import { gitOpsRules } from "./gitops";
import { nodeCacheRules, ownCorefileRules } from "./needs";
import { metadataRules } from "./metadata";
import { modeRules } from "./modes";
import { monitoringRules } from "./monitoring";
import { nodeResolverRules } from "./node-resolver";
import { outsideNameRules } from "./outside-names";
import { placementRules } from "./placement";
import { queryLogRules } from "./query-log";
import type { Given } from "./report";
import { resilienceRules } from "./resilience";
import { resourceRules } from "./resources";
import { rewriteRules } from "./rewrites";
import { searchPathRules } from "./search-path";
import { serveStaleRules } from "./serve-stale";
import { smokeTestRules } from "./smoke-test";
import { tenancyRules } from "./tenancy";
import { textProblems } from "./text";
import validate = require("./validate");
import { valueRules } from "./values";
import { versionRules } from "./versions";
import { zoneRules } from "./zones";

/** Of a value that several find wrong, the first of them says so. */
const rules: readonly ((given: Given) => Problem[])[] = [
  ({ written }) => valueRules(written),
  addressRules,
  modeRules,
  versionRules,
  outsideNameRules,
  forwardOptionRules,
  familyOptionRules,
  queryLogRules,
  resilienceRules,
  rewriteRules,
  zoneRules,
  corefileRules,
  ownCorefileRules,
  nodeCacheRules,
  componentRules,
  dnsServiceRules,
  serveStaleRules,
  searchPathRules,
  placementRules,
  resourceRules,
  metadataRules,
  tenancyRules,
  federationRules,
  nodeResolverRules,
  admissionRules,
  smokeTestRules,
  monitoringRules,
  gitOpsRules,
];

/** The cluster that a description means, or everything wrong with the description. */
export type Resolved =
  | { readonly cluster: Cluster; readonly problems?: undefined }
  | { readonly cluster?: undefined; readonly problems: readonly Problem[] };

/** The schema requires nothing: any file of a fleet may leave any key to another. */
const required = {
  clusterDNS: "the cluster IP of Service kube-dns, such as [10.96.0.10]",
  kubeProxyMode: "iptables, nftables, ipvs, or none",
};

/**
 * Resolves a description (a cluster file's value or a construct's `ClusterDnsProps`): checks its shape, applies the
 * rules to the parts whose shape and text are valid, and fills in every default.
 * @param today The day, in UTC, as `2026-12-24`: what has an end before is left out.
 */
export function resolve(description: unknown, today?: string): Resolved {
  const misshapen = shapeProblems(validate, description);
  // Without what was meant, rules would miss what is there and only misspelt.
  const changed = misshapen.filter((problem) => problem.meant !== undefined || problem.instead !== undefined);
  const meant = asMeant(description, changed);
  const stillMisshapen = misshapen.length === 0 ? [] : shapeProblems(validate, meant);
  // A list that is too long or too short stays: its entries may be wrong as well, and others need that it is there.
  const shaped = without(
    meant,
    stillMisshapen.filter(({ isCount }) => !isCount),
  );
  const unwritable = textProblems(shaped);
  const sound = without(shaped, unwritable);
  const atWrittenKey = (problem: Problem) => changed.reduce(underWrittenKey, problem);
  // Of a key without a space after its colon, the value is in the key.
  const isSaid = (path: Problem["path"], { meant: key, path: { length } }: ShapeProblem) =>
    path.length > length || (key !== undefined && held(description, path) !== null);
  const below = stillMisshapen
    .map(atWrittenKey)
    .filter(({ path }) => changed.some((each) => isIn(path, each.path) && isSaid(path, each)));
  const found = [...misshapen, ...below, ...unwritable].map(atWrittenKey);
  if (typeof sound !== "object" || sound === null || Array.isArray(sound)) return { problems: found };
  // cdk8s cannot render objects without the usual prototype, such as those of `Object.create(null)`; a Proxy has no clone.
  const props = withAgentImage(JSON.parse(JSON.stringify(sound)) as ClusterDnsProps);
  const written = withAgentImage(Object(meant) as ClusterDnsProps);
  const missing = Object.entries(required)
    .filter(([key]) => [description, meant].every((each) => (each as { [key: string]: unknown })[key] === undefined))
    .map(([key, what]): Problem => ({
      path: [key],
      at: "value",
      message: `is required but missing; accepted: ${what}`,
    }));
  const said = fillIn(props);
  const cluster = props.clusterDNS && props.kubeProxyMode ? clusterOf(props, today, said) : undefined;
  const broken = rules.flatMap((rule) => rule({ written, props, said, cluster }));
  const problems = firstOfEach([...missing, ...found, ...broken.map(atWrittenKey)], description);
  return cluster && problems.length === 0 ? { cluster } : { problems };
}

/** One problem a value, unless the value holds others: what is wrong with a mapping or a list may be several things. */
function firstOfEach(problems: readonly Problem[], description: unknown): Problem[] {
  const about = ({ path, at, within, message }: Problem) => {
    const value = held(description, path);
    return JSON.stringify([path, at, within, typeof value === "object" ? message : ""]);
  };
  return grouped(problems, about).map(([, [first]]) => first);
}

function held(description: unknown, path: Problem["path"]): unknown {
  return path.reduce<unknown>((value, step) => (Object(value) as { [key: string]: unknown })[step], description);
}

/** A problem of a misspelt key's value, at the key as it is written. */
function underWrittenKey({ path, at, within, message }: Problem, { path: written, meant }: ShapeProblem): Problem {
  const isMeant = meant !== undefined && isIn(path, [...written.slice(0, -1), meant]);
  const given = isMeant ? [...written, ...path.slice(written.length)] : path;
  return { path: given, at, ...(within && { within }), message };
}

function isIn(path: Problem["path"], place: Problem["path"]): boolean {
  return place.every((step, i) => step === path[i]);
}

/**
 * A copy without the values that the problems are about. A list with a wrong entry is dropped whole, so that no index
 * shifts.
 */
export function without(value: unknown, problems: readonly Pick<Problem, "path">[]): unknown {
  return asMeant(
    value,
    problems.map(({ path }) => ({ path })),
  );
}

/** The same copy, with what was meant in place of values and keys for which that is clear. */
function asMeant(value: unknown, problems: readonly Pick<ShapeProblem, "path" | "meant" | "instead">[]): unknown {
  if (problems.length === 0) return value;
  const itself = problems.find(({ path }) => path.length === 0);
  if (itself) return itself.instead;
  if (typeof value !== "object" || value === null) return undefined;
  const below = new Map(grouped(problems, ({ path: [key] }) => String(key)));
  const kept = Object.entries(value).map(([key, child]) => {
    const about = below.get(key)?.map((problem) => ({ ...problem, path: problem.path.slice(1) })) ?? [];
    const renamed = about.find(({ path }) => path.length === 0)?.meant;
    return renamed === undefined ? ([key, asMeant(child, about)] as const) : ([renamed, child] as const);
  });
  if (Array.isArray(value)) {
    const entries = kept.map(([, child]) => child);
    return entries.includes(undefined) ? undefined : entries;
  }
  return Object.fromEntries(kept.filter(([key, child]) => child !== undefined || !below.has(key)));
}
