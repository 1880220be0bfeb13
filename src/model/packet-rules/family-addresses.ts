import { familyOf, type Family } from "../syntax/addresses";
import { pastCacheAddress, probeAddress } from "../query-path/link-addresses";
import { proxyMode } from "../query-path/proxy-modes";
import { listenersOn, type Listener } from "./listener";
import { query } from "./match";
import type { RuleInput } from "./rule-input";

/** The addresses of one IP family, and what the cache listens on there: nothing while draining. */
export interface FamilyAddresses {
  readonly family: Family;
  readonly linkLocal: string;
  readonly serviceIP: string;
  readonly probe: string;
  readonly pastCache: string;
  readonly listeners: readonly Listener[];
  /**
   * All our addresses on the link. The service IP is among them only if the cache listens on it; otherwise it would
   * just give the node's own queries an odd source.
   */
  readonly onLink: readonly string[];
  /**
   * Where caches answer from in any mode: after a change of mode, the old cache still answers the queries it took. A
   * tracked reply would start a flow of its own; the next query from that port would count as the reply in it and bypass
   * kube-proxy.
   */
  readonly repliers: readonly Listener[];
  /**
   * A process of the node sends from the very address that it asks, and without clusterCIDR, kube-proxy would send that
   * to another node. The service IP stays on the link briefly after a change of mode; where service IPs are local, our
   * link never has it.
   */
  readonly masqueraded: readonly string[];
}

/** @throws Error if an address has no counterpart in its family, which no cluster file can cause. */
export function familyAddresses(input: RuleInput): FamilyAddresses[] {
  const { interception, linkLocalIPs, serviceIPs, cache } = input;
  return linkLocalIPs.map((linkLocal) => {
    const family = familyOf(linkLocal);
    const serviceIP = serviceIPs.find((address) => familyOf(address) === family);
    if (!family || !serviceIP)
      throw new Error(`packet rules: ${linkLocal} has no service IP of its family among ${serviceIPs.join(", ")}`);
    const listenAddresses = interception === "service-ip" ? [linkLocal, serviceIP] : [linkLocal];
    const own = { linkLocal, probe: probeAddress(linkLocal), pastCache: pastCacheAddress(linkLocal) };
    return {
      family,
      serviceIP,
      ...own,
      listeners: cache ? listenAddresses.flatMap(listenersOn) : [],
      onLink: [...new Set([...Object.values(own), ...(cache ? listenAddresses : [])])],
      repliers: [linkLocal, serviceIP].flatMap(listenersOn),
      masqueraded: proxyMode(input).serviceIPsAreLocal ? [linkLocal] : [linkLocal, serviceIP],
    };
  });
}

/**
 * Queries to the service IP that would leave the node, because no NAT has translated them. Where the cache does not listen
 * on that address, it asks there. Without an answer, CoreDNS waits up to 30 seconds for each connection (`maxDialTimeout`,
 * plugin/pkg/proxy). Meanwhile it refuses others (`max_concurrent`), even once kube-proxy has its rules.
 *
 * They are tracked. What is not may be for a node-cache on the service IP, before our cache or after it.
 */
export function leaving({ listeners, serviceIP }: FamilyAddresses) {
  const asksItself = listeners.some(({ address }) => address === serviceIP);
  const asked = listeners.length === 0 || asksItself ? [] : listenersOn(serviceIP);
  return asked.map((listener) => ({ ...query(listener), isNew: true }) as const);
}
