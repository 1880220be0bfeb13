import type { CacheSettings } from "../corefile/cache";
import type { CachedApart } from "../corefile/outside-blocks";
import { maxAnswersOverTcp } from "../corefile/outside-names";
import { mostPinned, type PinnedNames } from "../corefile/pinned-names";
import type { WalkedPath } from "../corefile/search-path";
import type { Resources } from "../props/placement";
import type { ClusterSize } from "../props/size";
import { parseQuantity } from "../syntax/quantity";

// Memory of CoreDNS 1.14.7, measured (docs/memory.md) and rounded up.

const kilo = 1000;
const mebi = 1024 * 1024;

/** Usual for the request, worst for the limit. */
interface Bytes {
  readonly usual: number;
  readonly worst: number;
}

/** Empty: 9 MiB, plus 45 MiB of its binary. */
const program: Bytes = { usual: 50 * mebi, worst: 50 * mebi };

/** An answer over TCP: 64 kB of addresses take 0.7 MB, and 64 kB of records with three long names each (MINFO) 14 MB. */
const answerOverTcp: Bytes = { usual: 0, worst: 14_000 * kilo };

/** Usual is twice the live size, as Go collects late. Worst: after an API server's restart, objects are there twice. */
const object: { readonly [what in "service" | "endpoint" | "pod" | "node"]: Bytes } = {
  /** With its EndpointSlice: 10,000 take 27 MB, and 79 MB while they are relisted. */
  service: { usual: 5.5 * kilo, worst: 8 * kilo },
  /** A pod behind a Service: 140,000 take 64 MB, and 150 MB while they are relisted. */
  endpoint: { usual: 1 * kilo, worst: 1.2 * kilo },
  /**
   * With `pods: verified`: 20,000 of two containers each (9.5 kB of JSON) take 26 MB, and 420 MB while they are listed.
   */
  pod: { usual: 2.8 * kilo, worst: 22 * kilo },
  /** Its cache's TCP connection takes 13 to 15 kB (docs/scale.md), and 6 kB in the kernel; other replicas have most. */
  node: { usual: 2 * kilo, worst: 21 * kilo },
};

/** A cache entry; an average one takes 0.8 to 3 kB (kops#5652, kubekey#3246). */
const entry: { readonly [from in "cluster" | "outside"]: Bytes } = {
  /** NXDOMAIN for a name of 255 octets that each print as four characters. */
  cluster: { usual: 3 * kilo, worst: 5 * kilo },
  /** 1232 bytes of 59 addresses for such a name: each record holds the name. */
  outside: { usual: 3 * kilo, worst: 67 * kilo },
};

/** Answers about headless Services (addresses and SRV records): 0.6 kB for each pod behind them. */
const headlessBytes: Bytes = { usual: 0, worst: kilo };

/** The nearer Go comes to GOMEMLIMIT, the harder it collects garbage; the rest is for memory that Go does not count. */
const goShare = 0.9;

export interface AuthoritativeContents {
  readonly size: Required<ClusterSize>;
  /** `kubernetes` plugins: each holds all Services. */
  readonly watchers: number;
  /** How many of them hold all pods. */
  readonly podWatchers: number;
  readonly cache: CacheSettings;
  readonly pinned?: PinnedNames | undefined;
}

export function authoritativeParts({
  size,
  watchers,
  podWatchers,
  cache,
  pinned,
}: AuthoritativeContents): MemoryPart[] {
  return [
    [1, "program", program],
    [maxAnswersOverTcp, "answers over TCP", answerOverTcp],
    [size.services * watchers, "Services", object.service],
    [size.pods * watchers, "pods behind Services", object.endpoint],
    [size.pods * podWatchers, "verified pods", object.pod],
    [size.nodes, "nodes", object.node],
    [entries(cache), "cached answers", entry.outside],
    ...pinnedParts(pinned),
  ];
}

interface NodeCacheContents {
  readonly size: Required<ClusterSize>;
  readonly clusterCache: CacheSettings;
  readonly outsideCache: CacheSettings;
  readonly answered?: CachedApart | undefined;
  /** What a search path led to is cached as well, by the name that was asked. */
  readonly walked: Pick<WalkedPath, "tenants"> | undefined;
  readonly pinned?: PinnedNames | undefined;
}

export function nodeCacheParts(contents: NodeCacheContents): MemoryPart[] {
  const { size, clusterCache, outsideCache, answered, walked, pinned } = contents;
  const paths = walked ? (walked.tenants ? 2 : 1) : 0;
  return [
    [1, "program", program],
    [maxAnswersOverTcp, "answers over TCP", answerOverTcp],
    [size.pods, "pods of headless Services", headlessBytes],
    [entries(clusterCache), "cached answers of the cluster", entry.cluster],
    [entries(outsideCache) * (1 + paths), "cached answers from outside", entry.outside],
    ...(answered?.cache
      ? [
          [
            entries(answered.cache),
            "cached answers of rewrites and zones",
            entry[answered.isOfCluster ? "cluster" : "outside"],
          ] satisfies MemoryPart,
        ]
      : []),
    ...pinnedParts(pinned),
  ];
}

/** A name has few types with records, each with and without signatures, and each the last good answer beside the newest. */
function pinnedParts(pinned: PinnedNames | undefined): MemoryPart[] {
  if (!pinned) return [];
  return [
    [pinned.names.length * 16, "answers of pinned names", entry.outside],
    [mostPinned(pinned), "denials of pinned names", entry.cluster],
  ];
}

/** How many there are, of what, and what each takes. */
export type MemoryPart = readonly [count: number, what: string, each: Bytes];

/** Quantities in whole Mi. */
export interface Memory {
  readonly request: string;
  readonly limit: string;
}

export function memoryFor(parts: readonly MemoryPart[]): Memory {
  const sum = (kind: keyof Bytes) => parts.reduce((all, [count, , each]) => all + count * each[kind], 0);
  const inMebi = (bytes: number) => `${Math.ceil(bytes / mebi)}Mi`;
  return { request: inMebi(sum("usual")), limit: inMebi(sum("worst") / goShare) };
}

/** What a request and a limit are the sum of. */
export function memoryFormula(parts: readonly MemoryPart[]): Memory {
  const sum = (kind: keyof Bytes) =>
    parts
      .filter(([count, , each]) => count * each[kind] > 0)
      .map(([count, what, each]) => (count === 1 ? inKilo(each[kind]) : `${count} ${what} x ${inKilo(each[kind])}`))
      .join(" + ");
  return { request: sum("usual"), limit: `(${sum("worst")}) / ${goShare}` };
}

function inKilo(bytes: number): string {
  return bytes < kilo * kilo ? `${bytes / kilo} kB` : `${Math.round(bytes / kilo / kilo)} MB`;
}

/** 256 shards of equal size; with `serve_stale_policy prefer_positive`, an entry holds two answers. */
function entries({ success, denial, serveStale }: CacheSettings): number {
  const inShards = (capacity: number) => Math.floor(capacity / 256) * 256;
  return inShards(success.capacity) * (serveStale?.preferPositive ? 2 : 1) + inShards(denial.capacity);
}

/** GOMEMLIMIT of a container; undefined if it has no memory limit. */
export function goMemoryLimit({ limits }: Resources): string | undefined {
  const limit = limits?.["memory"];
  const quantity = limit === undefined ? undefined : parseQuantity(limit);
  return quantity && `${Math.floor((Number(quantity.nanos / 1_000_000_000n) * goShare) / mebi)}MiB`;
}
