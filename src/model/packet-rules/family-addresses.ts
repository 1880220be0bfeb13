import { familyOf, type Family } from "../syntax/addresses";
import { pastCacheAddress, probeAddress } from "../query-path/link-addresses";
import { listenersOn, type Listener } from "./listener";
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
}

/** @throws Error if an address has no counterpart in its family, which no cluster file can cause. */
export function familyAddresses({ interception, linkLocalIPs, serviceIPs, cache }: RuleInput): FamilyAddresses[] {
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
    };
  });
}
