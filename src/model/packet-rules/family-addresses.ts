import { familyOf, type Family } from "../syntax/addresses";
import { listenersOn, type Listener } from "./listener";
import { probeAddress } from "./probe-address";
import type { RuleInput } from "./rule-input";

/** The addresses of one IP family, and what the cache listens on there: nothing while draining. */
export interface FamilyAddresses {
  readonly family: Family;
  readonly linkLocal: string;
  readonly serviceIP: string;
  readonly probe: string;
  readonly listeners: readonly Listener[];
}

/** @throws Error when an address has no partner in its family, which no cluster file can bring about. */
export function familyAddresses({ interception, linkLocalIPs, serviceIPs, cache }: RuleInput): FamilyAddresses[] {
  return linkLocalIPs.map((linkLocal) => {
    const family = familyOf(linkLocal);
    const serviceIP = serviceIPs.find((address) => familyOf(address) === family);
    if (!family || !serviceIP)
      throw new Error(`packet rules: ${linkLocal} has no service IP of its family among ${serviceIPs.join(", ")}`);
    const listenAddresses = interception === "service-ip" ? [linkLocal, serviceIP] : [linkLocal];
    return {
      family,
      linkLocal,
      serviceIP,
      probe: probeAddress(linkLocal),
      listeners: cache ? listenAddresses.flatMap(listenersOn) : [],
    };
  });
}
