import { listenerName, type Listener } from "../listener";

/** Our chains are named this, or this with a suffix. */
export const chainName = "NODE-LOCAL-DNS";

/** The tables that we write to, with the built-in chains that lead to ours, and the ends of our chains' names there. */
export const ownPlaces = {
  raw: { builtIn: ["PREROUTING", "OUTPUT"], own: ["", "-OUT"] },
  mangle: { builtIn: ["INPUT", "POSTROUTING"], own: ["-IN", "-POST"] },
  nat: { builtIn: ["PREROUTING", "OUTPUT", "POSTROUTING"], own: ["", "-HOST", "-POST"] },
  filter: { builtIn: ["INPUT", "OUTPUT"], own: ["-IN", "-OUT"] },
} as const;

export type Table = keyof typeof ownPlaces;

export const tables = ["raw", "mangle", "nat", "filter"] as const satisfies readonly Table[];

/** Who asked a listener, and whom it answered: lists of the module xt_recent, which kube-proxy needs as well (session affinity). */
export type ClientList = "asked" | "answered";

export function clientListName(list: ClientList, listener: Listener): string {
  return `${chainName}-${list}-${listenerName(listener)}`;
}

export function isOwnChain(chain: string): boolean {
  return chain === chainName || chain.startsWith(`${chainName}-`);
}
