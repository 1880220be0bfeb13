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
 * Queries to the service IP that no NAT has translated, where the cache does not listen on it. Without kube-proxy's rules,
 * its query would leave the node, and nobody would answer: it would wait up to 30 seconds for each connection
 * (`maxDialTimeout`, CoreDNS' plugin/pkg/proxy), and refuse others meanwhile (`max_concurrent`), also once there are rules.
 * Like kube-proxy's refusals, only of what is tracked: before our cache or after it, node-cache may listen on the service
 * IP, and its NOTRACK leads the node's own queries there.
 */
export function untranslated({ listeners, serviceIP }: FamilyAddresses) {
  const asksItself = listeners.some(({ address }) => address === serviceIP);
  const asked = listeners.length === 0 || asksItself ? [] : listenersOn(serviceIP);
  return asked.map((listener) => ({ ...query(listener), isNew: true }) as const);
}
