import { listenerName, type Listener } from "../listener";

/** The name of our chains, or its start. */
export const chainName = "NODE-LOCAL-DNS";

/** The tables we write to: built-in chains that jump to ours, and the suffixes of our chains' names. */
export const ownPlaces = {
  raw: { builtIn: ["PREROUTING", "OUTPUT"], own: ["", "-OUT"] },
  mangle: { builtIn: ["INPUT", "POSTROUTING"], own: ["-IN", "-POST"] },
  nat: { builtIn: ["PREROUTING", "OUTPUT", "POSTROUTING"], own: ["", "-HOST", "-POST"] },
  filter: { builtIn: ["INPUT", "OUTPUT"], own: ["-IN", "-OUT"] },
} as const;

export type Table = keyof typeof ownPlaces;

export const tables = ["raw", "mangle", "nat", "filter"] as const satisfies readonly Table[];

/**
 * Who asked a listener, and who got an answer: lists of the xt_recent module, which kube-proxy needs too (session
 * affinity).
 */
export type ClientList = "asked" | "answered";

export function clientListName(list: ClientList, listener: Listener): string {
  return `${chainName}-${list}-${listenerName(listener)}`;
}

/**
 * The table of the xt_hashlimit module with the rates of those who ask: /proc/net/ipt_hashlimit and ip6t_hashlimit. Rules
 * with one name share it and its limit, also with the rules that they replace: so the limit is a part of the name.
 */
export function limitName(perSecond: number | ""): string {
  return `node-local-dns-${perSecond}`;
}

export function isOwnChain(chain: string): boolean {
  return chain === chainName || chain.startsWith(`${chainName}-`);
}
