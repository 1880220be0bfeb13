import { addressRange, canonicalAddress, familyOf } from "../syntax/addresses";
import { addressesOnLink } from "./link-addresses";

/**
 * Why a server for names outside answers none of them. `own`: it is the cluster DNS or the node cache, so that a query
 * comes back. `loopback`: a pod reaches only itself there. On a node's network, a resolver of the node may answer at
 * such an address, or lead back.
 */
type NameserverFault = "own" | "loopback";

/** @param own The result of `ownAddresses`. */
export function nameserverFault(address: string, own: ReadonlySet<string>): NameserverFault | undefined {
  // One with a scope (fe80::1%eth0) is neither.
  if (!familyOf(address)) return undefined;
  const canonical = canonicalAddress(address);
  if (own.has(canonical)) return "own";
  return ["loopback", "unspecified"].includes(addressRange(canonical)) ? "loopback" : undefined;
}

/** Addresses at which the cluster answers: those of the DNS Service, and all that nodes have on their link. */
export function ownAddresses(clusterDNS: readonly string[], linkLocal: readonly string[]): ReadonlySet<string> {
  return new Set([...clusterDNS, ...linkLocal.filter(familyOf).flatMap(addressesOnLink)].map(canonicalAddress));
}

/** In place of an address: the file names no server. */
export const noNameserver = "none";

/**
 * What a node's resolv.conf is good for, as the servers of a cache on the node's network. Leaves out our own addresses. If nothing remains that is certain to lead outside, the cache also asks the cluster DNS,
 * whose pods have the resolvers of other nodes: without any server, CoreDNS would not start, and the node's pods would
 * lose the cache for the names of the cluster as well.
 */
export function nodeNameservers(
  listed: readonly string[],
  own: ReadonlySet<string>,
  clusterServers: readonly string[],
) {
  const kept = listed.filter((each) => nameserverFault(each, own) !== "own");
  const isCertain = kept.some((each) => nameserverFault(each, own) === undefined);
  return {
    /** Whom the cache asks for names outside; never empty. */
    servers: isCertain ? kept : [...kept, ...clusterServers],
    /** What somebody should mend, as in the file; `none` if it names no server. */
    unusable: listed.length === 0 ? [noNameserver] : listed.filter((each) => nameserverFault(each, own) !== undefined),
  };
}
