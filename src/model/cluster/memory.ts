import type { CacheSettings } from "../corefile/cache";
import type { Resources } from "../props/placement";
import type { ClusterSize } from "../props/size";
import { parseQuantity } from "../syntax/quantity";

// What CoreDNS 1.14.7 takes, measured with the real one (docs/memory.md says how), rounded up.

const kilo = 1000;
const mebi = 1024 * 1024;

/** Usual, and at worst: for the request and the limit. */
interface Bytes {
  readonly usual: number;
  readonly worst: number;
}

/** With nothing in it 9 MiB, and 45 of its program file; at worst 150 MiB for what is under way, above all 8 answers of 64 kB twice. */
const program: Bytes = { usual: 50 * mebi, worst: 170 * mebi };

/**
 * Usual: twice what they take, because Go collects garbage when there is as much of it. At worst the API server was restarted: old and new
 * ones are there at once, the new ones with all of their fields.
 */
const object: { readonly [what in "service" | "endpoint" | "pod" | "node"]: Bytes } = {
  /** With its EndpointSlice: 10,000 take 27 MB, and 79 MB while they are listed anew. */
  service: { usual: 5.5 * kilo, worst: 8 * kilo },
  /** A pod behind a Service: 140,000 take 64 MB, and 150 MB while they are listed anew. */
  endpoint: { usual: 1 * kilo, worst: 1.2 * kilo },
  /** Of `pods: verified`, each of two containers, 9.5 kB of JSON: 20,000 take 26 MB, and 420 MB while they are listed. */
  pod: { usual: 2.8 * kilo, worst: 22 * kilo },
  /** A TCP connection of its cache takes 6 kB, and as much in the kernel. */
  node: { usual: 2 * kilo, worst: 12 * kilo },
};

/** Of a cache: an average entry takes 0.8 to 3 kB (kops#5652, kubekey#3246). */
const entry: { readonly [from in "cluster" | "outside"]: Bytes } = {
  /** NXDOMAIN for a name of 255 octets that print as four characters each. */
  cluster: { usual: 3 * kilo, worst: 5 * kilo },
  /** 1232 bytes of 59 addresses, for such a name: each of them holds the name. */
  outside: { usual: 3 * kilo, worst: 67 * kilo },
};

/** Answers about a headless Service, addresses and SRV records, for each pod behind it: 0.6 kB. */
const headlessBytes: Bytes = { usual: 0, worst: kilo };

/** Go collects garbage the harder the nearer it comes to GOMEMLIMIT; the rest is for what Go does not count. */
const goShare = 0.9;

/** What authoritative DNS holds. */
export interface AuthoritativeContents {
  readonly size: Required<ClusterSize>;
  /** `kubernetes` plugins: each has all Services. */
  readonly watchers: number;
  /** Whether one of them has all pods. */
  readonly verifiesPods: boolean;
  readonly cache: CacheSettings;
}

export function authoritativeMemory({ size, watchers, verifiesPods, cache }: AuthoritativeContents): Memory {
  return memory([
    [1, program],
    [size.services * watchers, object.service],
    [size.pods * watchers, object.endpoint],
    [verifiesPods ? size.pods : 0, object.pod],
    [size.nodes, object.node],
    [entries(cache), entry.outside],
  ]);
}

/** What the node cache holds. */
export interface NodeCacheContents {
  readonly size: Required<ClusterSize>;
  readonly clusterCache: CacheSettings;
  readonly outsideCache: CacheSettings;
}

export function nodeCacheMemory({ size, clusterCache, outsideCache }: NodeCacheContents): Memory {
  return memory([
    [1, program],
    [size.pods, headlessBytes],
    [entries(clusterCache), entry.cluster],
    [entries(outsideCache), entry.outside],
  ]);
}

/** Quantities in whole Mi. */
export interface Memory {
  readonly request: string;
  readonly limit: string;
}

function memory(parts: readonly [count: number, each: Bytes][]): Memory {
  const sum = (kind: keyof Bytes) => parts.reduce((all, [count, each]) => all + count * each[kind], 0);
  const inMebi = (bytes: number) => `${Math.ceil(bytes / mebi)}Mi`;
  return { request: inMebi(sum("usual")), limit: inMebi(sum("worst") / goShare) };
}

/** 256 shards of one size; `serve_stale_policy prefer_positive` keeps two answers in an entry. */
function entries({ success, denial, serveStale }: CacheSettings): number {
  const [positive, negative] = [success, denial].map(({ capacity }) => Math.floor(capacity / 256) * 256) as [
    number,
    number,
  ];
  return positive * (serveStale?.preferPositive ? 2 : 1) + negative;
}

/** GOMEMLIMIT for a container: undefined where it has no memory limit. */
export function goMemoryLimit({ limits }: Resources): string | undefined {
  const limit = limits?.["memory"];
  const quantity = limit === undefined ? undefined : parseQuantity(limit);
  return quantity && `${Math.floor((Number(quantity.nanos / 1_000_000_000n) * goShare) / mebi)}MiB`;
}
