import { clusterOf, type Cluster, isCluster } from "../cluster/cluster";
import { fillIn } from "../full-props/fill-in";
import type { ClusterDnsProps } from "../props/cluster-dns";
import { withAgentImage } from "../images";
import { grouped } from "../syntax/grouped";
import { dayOf, isDay } from "../syntax/day";
import { isMapping } from "../syntax/mapping";
import { isBelow, type Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { addressRules } from "./addresses";
import { admissionRules } from "./admission";
import { held, readAsMeant, without } from "./as-meant";
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
import { readPlain } from "./plain";
import { queryLogRules } from "./query-log";
import { about, type Given } from "./report";
import { resilienceRules } from "./resilience";
import { resourceRules } from "./resources";
import { rewriteRules } from "./rewrites";
import { searchPathRules } from "./search-path";
import { serveStaleRules } from "./serve-stale";
import { smokeTestRules } from "./smoke-test";
import { tenancyRules } from "./tenancy";
import { textProblems } from "./text";
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
 * rules to the parts whose shape and text are valid, and fills in every default. A `Cluster` that this returned is
 * returned again.
 * @param today The day, in UTC, as `2026-12-24`: what has an end before is left out. By default, the clock's.
 * @throws Error if `today` is no such day.
 */
export function resolve(description: unknown, today: string = dayOf(new Date())): Resolved {
  // JavaScript may pass anything.
  if (typeof today !== "string" || !isDay(today))
    throw new Error(`today: ${show(today)} is not accepted; accepted: a day in UTC, such as "2026-12-24"`);
  if (isCluster(description)) return { cluster: description };
  const { plain, unreadable } = readPlain(description);
  if (held(plain, ["kind"]) === "Cluster") return { problems: [copied] };
  const resolved = resolvePlain(plain, today);
  if (unreadable.length === 0) return resolved;
  // What holds them lacks them only here.
  const isWithout = ({ path }: Problem) =>
    unreadable.some((each) => isBelow(each.path, path) || isBelow(path, each.path));
  return { problems: [...unreadable, ...(resolved.problems ?? []).filter((problem) => !isWithout(problem))] };
}

const copied: Problem = {
  path: ["kind"],
  at: "key",
  message: "unknown key; in an app, pass props, or the very Cluster that resolve() returned, not a copy of one",
};

function resolvePlain(description: unknown, today: string): Resolved {
  const { meant, shaped, problems: misshapen, atWrittenKey } = readAsMeant(description);
  const unwritable = textProblems(shaped);
  const sound = without(shaped, unwritable);
  const found = [...misshapen, ...unwritable.map(atWrittenKey)];
  if (!isMapping(sound)) return { problems: description === undefined ? [...found, ...missing([])] : found };
  const props = withAgentImage(JSON.parse(JSON.stringify(sound)) as ClusterDnsProps);
  const written = withAgentImage(Object(meant) as ClusterDnsProps);
  const said = fillIn(props);
  const cluster = props.clusterDNS && props.kubeProxyMode ? clusterOf(props, today, said) : undefined;
  const broken = rules
    .flatMap((rule) => rule({ written, props, said, cluster }))
    .map(atWrittenKey)
    .filter(({ path }) => !misshapen.some((each) => each.path.length === path.length + 1 && isBelow(each.path, path)));
  const isOfText = ({ path }: Problem) => path.at(-1) === 0 && typeof held(description, path.slice(0, -1)) === "string";
  // The list that a text would be in would be refused as well.
  const ofTexts = broken.filter(isOfText).map((problem) => ({ ...problem, path: problem.path.slice(0, -1) }));
  const others = [...found, ...broken.filter((problem) => !isOfText(problem))];
  const problems = firstOfEach([...missing([description, meant]), ...ofTexts, ...others], description);
  return cluster && problems.length === 0 ? { cluster } : { problems };
}

/** The keys that neither has of what was written and what was meant. */
function missing(both: readonly unknown[]): Problem[] {
  return Object.entries(required).flatMap(([key, what]) =>
    about([key]).when(
      both.every((each) => held(each, [key]) === undefined),
      `is required but missing; accepted: ${what}`,
    ),
  );
}

/** One problem a value, unless the value holds others: what is wrong with a mapping or a list may be several things. */
function firstOfEach(problems: readonly Problem[], description: unknown): Problem[] {
  const valueOf = ({ path, at, within, message }: Problem) =>
    JSON.stringify([path, at, within, typeof held(description, path) === "object" ? message : ""]);
  return grouped(problems, valueOf).map(([, [first]]) => first);
}
