import type { PacketFilter } from "../props/node-local-dns";
import { proxyMode, type PastCache } from "./proxy-modes";
import { queryPath, type QueryPath, type QueryPathProps } from "./query-path";

const askers = ["pod", "host process", "pod on the host network"] as const;
const protocols = ["UDP", "TCP"] as const;

/** Who asks the nameserver of pods, over which protocol, and how the node's cache is. */
export interface Case {
  readonly asker: (typeof askers)[number] | "older pod" | "cache";
  readonly protocol: (typeof protocols)[number];
  /** `none`: the node has no cache, or how it is does not matter. */
  readonly cache: "alive" | "hung" | "dead" | "none";
}

export interface Trace extends Case {
  readonly hops: readonly Hop[];
  /** Until when queries are lost before they take this path; undefined if none is. */
  readonly lostUntil?: string | undefined;
}

/** `address`: what is asked. `decision`: what decides the way. `services`: what handles them. `answer`: who answers. */
export interface Hop {
  readonly kind: "address" | "decision" | "services" | "answer";
  readonly text: string;
}

/** Who answers, as hops and pictures call them. */
export const answers = {
  cache: "cache",
  clusterDNS: "cluster DNS",
  either: "cache or cluster DNS",
  nobody: "nobody",
} as const;

export function traces(props: QueryPathProps): Trace[] {
  const path = queryPath(props);
  const cluster = { ...props, ...props.nodeLocalDNS, path };
  if (path?.state !== "enabled") return withoutCache(cluster);
  const states = ["alive", "hung", "dead"] as const;
  const cases = askers.flatMap((asker) =>
    protocols.flatMap((protocol) => states.map((cache): Case => ({ asker, protocol, cache }))),
  );
  const trace = { agent: throughRules, "node-cache": throughNodeCache, nobody: throughCilium }[
    path.linkMadeBy ?? "nobody"
  ];
  return [
    ...cases.map((each) => ({ ...each, ...trace({ ...cluster, path }, each) })),
    ...overEach("cache", toClusterServers({ ...cluster, path })),
  ];
}

interface TracedCluster extends QueryPathProps {
  readonly packetFilter: PacketFilter;
  readonly watchdog: boolean;
  readonly path: QueryPath;
}

type Way = Pick<Trace, "hops" | "lostUntil">;

function overEach(asker: Case["asker"], hops: readonly Hop[]): Trace[] {
  return protocols.map((protocol) => ({ asker, protocol, cache: "none", hops }));
}

function withoutCache(cluster: Omit<TracedCluster, "path"> & { readonly path: QueryPath | undefined }): Trace[] {
  const { path, clusterDNS } = cluster;
  const leaves = path?.interception === "link-local" && path.state !== "disabled";
  return [
    ...askers.flatMap((asker) => overEach(asker, [asked(clusterDNS), ...service(cluster)])),
    // Pods keep the address that they started with.
    ...(leaves
      ? overEach("older pod", [asked(path.linkLocalAddresses), ...pastCache({ ...cluster, path }, "the rules stay")])
      : []),
  ];
}

function throughRules(cluster: TracedCluster, { asker, protocol, cache }: Case): Way {
  const address = asked(cluster.path.podNameservers);
  const toCache = (why: string): Way => ({ hops: [address, decision(why), answer("cache")] });
  const past = (why: string, lostUntil?: string): Way => ({ hops: [address, ...pastCache(cluster, why)], lostUntil });
  const dead = { hops: [address, answer("nobody")], lostUntil: "the kubelet has restarted the cache" };
  const { packetFilter, watchdog, path } = cluster;

  const isSilent = (until: string) => past("the cache answers nobody", until);
  const unanswered = "the kernel has seen queries and no answer for a tenth of a second";

  if (asker === "pod") {
    const toSocket = toCache("a socket of the cache listens there");
    if (cache === "alive") return toSocket;
    if (cache === "dead") return past("no socket listens there");
    if (packetFilter === "nftables") return isSilent(unanswered);
    if (!watchdog) return dead;
    return past("the watchdog has taken the cache out of use", enoughMisses(cluster));
  }
  // Hook OUTPUT has no socket match.
  if (packetFilter === "nftables") {
    if (!watchdog || (path.interception === "service-ip" && protocol === "TCP"))
      return past("no rule leads the node's own queries to the cache");
    if (cache === "alive") return toCache("the watchdog confirms that the cache answers");
    return isSilent(cache === "dead" && protocol === "UDP" ? "the kernel has refused a query" : unanswered);
  }
  if (path.interception === "service-ip") return past("no rule leads the node's own queries to the cache");
  if (cache === "alive") return toCache("the address is the node's own");
  if (!watchdog) return dead;
  const until = cache === "hung" ? enoughMisses(cluster) : "the watchdog's next probe is refused";
  return past("the watchdog has taken the cache out of use", until);
}

function enoughMisses({ nodeLocalDNS }: QueryPathProps): string {
  const { failures } = nodeLocalDNS.watchdogThresholds;
  return `the watchdog has seen ${failures === 1 ? "a miss" : `${failures} misses in a row`}`;
}

/** Its rules lead every query to it, whether it answers or not; only when told to stop does it remove them. */
function throughNodeCache({ path }: TracedCluster, { cache }: Case): Way {
  const address = asked(path.podNameservers);
  if (cache === "alive") return { hops: [address, decision("node-cache's link and rules"), answer("cache")] };
  return { hops: [address, answer("nobody")], lostUntil: "the kubelet has restarted the cache" };
}

function throughCilium({ path }: TracedCluster, { asker, cache }: Case): Way {
  const address = asked(path.podNameservers);
  const noticed = "Cilium knows that the cache is not ready";
  const past = [address, decision("Cilium: no cache is ready on this node"), answer("clusterDNS")];
  if (cache !== "alive") return { hops: past, lostUntil: noticed };
  if (asker === "pod") return { hops: [address, decision("Cilium: a cache is ready on this node"), answer("cache")] };
  return {
    hops: [address, decision("Cilium: redirects the host's sockets only if it handles them"), answer("either")],
  };
}

/** What the cache asks for names of the cluster that it does not hold. */
function toClusterServers(cluster: TracedCluster): Hop[] {
  const { clusterServers, linkLocalAddresses } = cluster.path;
  if (clusterServers === "upstream-service") return [asked(["Service kube-dns-upstream"]), ...service(cluster)];
  const isPastCache =
    !clusterServers.some((server) => cluster.clusterDNS.includes(server)) && linkLocalAddresses.length > 0;
  return [
    asked(clusterServers),
    ...(isPastCache ? [decision(translations.translate(cluster.clusterDNS[0] ?? ""))] : []),
    ...service(cluster),
  ];
}

/** How a query that no cache takes gets to the cluster DNS. */
function pastCache(cluster: TracedCluster, why: string): Hop[] {
  const way = proxyMode(cluster).pastCache[cluster.packetFilter];
  const isServiceIP = cluster.path.interception === "service-ip" || way === undefined;
  const translated = isServiceIP ? "" : `: ${translations[way](cluster.clusterDNS.join(" or "))}`;
  return [decision(`${why}${translated}`), ...service(cluster)];
}

const translations: { readonly [way in PastCache[PacketFilter]]: (serviceIP: string) => string } = {
  translate: (address) => `translated to ${address}`,
  dnat: (address) => `NAT to ${address}`,
  "kube-proxy-chain": () => "to kube-proxy's chain of the Service",
};

function service(cluster: QueryPathProps): Hop[] {
  return [{ kind: "services", text: proxyMode(cluster).services }, answer("clusterDNS")];
}

function asked(addresses: readonly string[]): Hop {
  return { kind: "address", text: addresses.join(" or ") };
}

function decision(text: string): Hop {
  return { kind: "decision", text };
}

function answer(who: keyof typeof answers): Hop {
  return { kind: "answer", text: answers[who] };
}
