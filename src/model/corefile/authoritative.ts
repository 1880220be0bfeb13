import type { AuthoritativeDnsOptions } from "../props/authoritative-dns";
import type { CorefileAdditions } from "../props/corefile";
import type { FederationOptions } from "../props/federation";
import type { FullRewrite } from "../full-props/fill-in";
import { inZone, reverseZones } from "../syntax/names";
import type { Tenancy } from "../tenancy/membership";
import { readAdditions, withAdditions, zonesOfBlocks } from "./additions";
import type { CacheSettings } from "./cache";
import { bufsize, plugin, serverBlock, type Corefile, type Directive, type ServerBlock } from "./corefile";
import { federationBlocks } from "./federation";
import { isolatedBlocks } from "./hard-isolation";
import { type CachedApart, outsideBlocks } from "./outside-blocks";
import { maxConcurrent } from "./forward";
import { observed, type Observation } from "./observed";
import { type ServerResilience, withResilience } from "./resilience";
import { forwardOutside, hostsPlugin, outsideFiles, type OutsideNames } from "./outside-names";
import { rewritesFor } from "./rewrites";
import { tenantBlocks } from "./tenant-names";
import { forwardToMain } from "./to-main";
import { type AnsweredZone, zoneBlocks, zoneFiles } from "./zones";

export interface AuthoritativeNames {
  readonly domain: string;
  readonly pods: NonNullable<AuthoritativeDnsOptions["pods"]>;
  /** TTL of the cluster's names, in seconds. */
  readonly ttl: number;
  readonly cache: CacheSettings;
  readonly outside: OutsideNames;
  /** Undefined: none. */
  readonly rewrites: readonly FullRewrite[] | undefined;
  /** Undefined: what rules lead to is cached as all names outside. */
  readonly rewritten: CachedApart | undefined;
  /** Those answered here, not by other servers; undefined: none. */
  readonly zones: readonly AnsweredZone[] | undefined;
  readonly additions: CorefileAdditions | undefined;
  readonly observation: Observation | undefined;
  readonly resilience: ServerResilience | undefined;
  readonly tenancy: Tenancy | undefined;
  readonly federation: FederationOptions | undefined;
}

/**
 * How many seconds a stopping pod keeps answering. kube-proxy sends it no new flow after about one second. But a query
 * from a source port that asked within the last 30 seconds (`nf_conntrack_udp_timeout`) still goes to it until
 * kube-proxy forgets that flow. That happens once the pod is not ready, not while it is terminating: after three
 * readiness probes, 3 seconds apart, and another second each for the kubelet's status and kube-proxy's `minSyncPeriod`;
 * the rest is for a loaded node. With 10 seconds, a roll lost up to 6 of 24,000 queries.
 */
export const authoritativeLameduckSeconds = 15;

/** Kubernetes' coredns.yaml.base, with outside names in server blocks of their own. */
export function authoritativeCorefile(names: AuthoritativeNames): Corefile {
  const { domain, ttl, cache, outside, rewrites = [], zones = [], additions, tenancy, federation } = names;
  const added = zonesOfBlocks(additions);
  const ofOutside = rewritesFor(rewrites, "outside", domain);
  const isIsolated = tenancy?.isolation === "hard";
  const others = [
    ...outsideBlocks({
      names: outside,
      cache,
      plugins: [bufsize, metrics],
      ...(ofOutside.length > 0 && {
        rewriting: { rewrites: ofOutside, zones: [domain, ...zones.map(({ zone }) => zone), ...added] },
      }),
      answered: names.rewritten,
      hasView: true,
    }),
    ...zoneBlocks(zones, outside, [metrics]),
    ...(tenancy && !isIsolated ? tenantBlocks(tenancy, domain, ttl, outside.version) : []),
    ...(federation ? federationBlocks(federation, domain, ttl, outside.version) : []),
  ];
  const apart = [...others.flatMap(({ keys }) => keys.map(({ zone }) => zone)), ...added];
  const ofCluster = isIsolated
    ? isolatedBlocks(tenancy, domain, ttl, ofClusterOnly, metrics)
    : [clusterBlock(names, new Set(apart.filter((zone) => isBelow(zone, [domain, ...reverseZones]))))];
  const all = withAdditions([...ofCluster, ...others], additions, domain, [bufsize, metrics]);
  return withResilience(observed(all, names.observation), names.resilience);
}

export function authoritativeFiles({ zones, outside }: AuthoritativeNames): { readonly [file: string]: string } {
  return { ...zoneFiles(zones), ...outsideFiles(outside) };
}

/** Only in the block that answers the cluster's names. */
const ofClusterOnly: readonly Directive[] = [
  plugin("health", [], [plugin("lameduck", [`${authoritativeLameduckSeconds}s`])]),
  plugin("ready"),
  bufsize,
];

/** Metrics port of the cluster DNS (coredns.yaml.base of Kubernetes). */
export const coreDnsMetricsPort = 9153;

const metrics = plugin("prometheus", [`:${coreDnsMetricsPort}`]);

/**
 * Answers the cluster's names from memory; reverse names that are not the cluster's are asked outside.
 * @param apart Zones below the cluster domain, and reverse zones, that other blocks answer.
 */
function clusterBlock(names: AuthoritativeNames, apart: ReadonlySet<string>): ServerBlock {
  const { domain, pods, ttl, outside, rewrites = [] } = names;
  const ofCluster = rewritesFor(rewrites, "cluster", domain);
  // Only a rule leads to a name of theirs here.
  const passed = [...reverseZones, ...(ofCluster.length > 0 ? [...apart].filter((each) => inZone(each, domain)) : [])];
  const ofOthers = [...apart].filter((each) => isBelow(each, reverseZones));
  const options = [plugin("pods", [pods]), plugin("fallthrough", passed), plugin("ttl", [ttl])];
  return serverBlock(
    [domain, ...reverseZones],
    [
      ...ofClusterOnly,
      ...ofCluster,
      ...hostsPlugin(outside),
      plugin("kubernetes", [domain, ...reverseZones], options),
      metrics,
      // Names that are rewritten to others outside are for the other blocks.
      ...(ofCluster.length > 0
        ? [
            ...ofOthers.map((zone) => forwardToMain(outside.version, zone)),
            ...reverseZones.map((zone) => forwardOutside(outside, maxConcurrent, zone)),
            forwardToMain(outside.version),
          ]
        : [forwardOutside(outside)]),
      plugin("loadbalance"),
    ],
  );
}

function isBelow(zone: string, zones: readonly string[]): boolean {
  return zones.some((each) => zone !== each && inZone(zone, each));
}

/** What its `kubernetes` plugins watch. */
export function watches(names: AuthoritativeNames): { watchers: number; podWatchers: number } {
  const { pods, tenancy } = names;
  const isIsolated = tenancy?.isolation === "hard";
  // A missing list of tenants is refused elsewhere, but must not throw here.
  const ofTenants = tenancy?.membership === "label" && !isIsolated ? (tenancy.tenants ?? []).length : 0;
  const added = addedKubernetes(names);
  const verifying = added.filter(({ options }) =>
    options.some((each) => each.name === "pods" && each.args[0] === "verified"),
  );
  return {
    watchers: 1 + ofTenants + added.length,
    podWatchers: (pods === "verified" ? 1 : 0) + verifying.length,
  };
}

/** Whether an addition answers names of other clusters, for which CoreDNS watches ServiceImports (KEP-1645). */
export function asksOtherClusters(names: AuthoritativeNames): boolean {
  return addedKubernetes(names).some(({ options }) => options.some(({ name }) => name === "multicluster"));
}

function addedKubernetes({ additions = {} }: AuthoritativeNames): Directive[] {
  return readAdditions(additions).blocks.flatMap(({ plugins }) => plugins.filter(({ name }) => name === "kubernetes"));
}
