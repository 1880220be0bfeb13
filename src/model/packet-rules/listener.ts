export const protocols = ["udp", "tcp"] as const;
export type Protocol = (typeof protocols)[number];

/** One socket of the cache, on port 53. */
export interface Listener {
  readonly address: string;
  readonly protocol: Protocol;
}

/** The listeners whose switch is on, for pods' queries and for those of the node's own processes. */
export interface Switches {
  readonly pods: readonly Listener[];
  readonly host: readonly Listener[];
}

export function sameListener(a: Listener, b: Listener): boolean {
  return a.address === b.address && a.protocol === b.protocol;
}

export function sameListeners(a: readonly Listener[], b: readonly Listener[]): boolean {
  return a.length === b.length && a.every((listener) => includesListener(b, listener));
}

export function includesListener(listeners: readonly Listener[], listener: Listener): boolean {
  return listeners.some((other) => sameListener(other, listener));
}

/** A listener for each protocol. */
export function listenersOn(address: string): Listener[] {
  return protocols.map((protocol) => ({ address, protocol }));
}

/** One word for a listener, used in counters, metrics and logs. */
export function listenerName({ address, protocol }: Listener): string {
  return `${protocol}-${address.replaceAll(":", "-")}`;
}
