import type { Listener, Protocol } from "./listener";

/** What rules of either packet filter can match. Everything given must hold. */
export interface PacketMatch {
  readonly source?: string;
  readonly destination?: string;
  readonly protocol?: Protocol;
  readonly sourcePort?: number;
  readonly destinationPort?: number;
  /** It goes to any other port of its protocol. */
  readonly otherPort?: number;
  /** It came in on a link other than the loopback. In hook input only. */
  readonly notFromLoopback?: true;
  /** It leaves on the loopback, or on another link. */
  readonly toLoopback?: true;
  readonly notToLoopback?: true;
  /** UDP: it looks like a query and is long enough to be one. Anything else is never answered. */
  readonly isQuestion?: true;
  /** TCP: it opens a connection, or accepts one. */
  readonly opens?: true;
  readonly accepts?: true;
  /** ICMP tells who asked its source over this protocol that the query got nowhere. */
  readonly refuses?: Protocol;
  /** It begins what conntrack tracks. */
  readonly isNew?: true;
  /** Not tracked by conntrack, on request. */
  readonly untracked?: true;
  /** It does not answer anything that conntrack knows of. */
  readonly unasked?: true;
}

/**
 * What counts as a request once the node has let it in, and what as its reply. Over TCP, only packets that open a
 * connection: each of these has one reply, while most later packets have none.
 */
export function countedRequest(listener: Listener) {
  return { ...request(listener), notFromLoopback: true, untracked: true } as const satisfies PacketMatch;
}

/** What counts against a pod's limit. The node's own processes, the watchdog among them, have none. */
export function limitedRequest(listener: Listener) {
  return { ...request(listener), notFromLoopback: true } as const satisfies PacketMatch;
}

/** A query to which a cache owes an answer, or the connection for one. */
export function request(listener: Listener) {
  return { ...query(listener), ...form(listener.protocol) } as const satisfies PacketMatch;
}

/** What a request looks like, whatever its address and port. */
export function form(protocol: Protocol) {
  return protocol === "udp" ? ({ isQuestion: true } as const) : ({ opens: true } as const);
}

/** What the cache sent and nothing has dropped. Translated replies are tracked, and so not counted. */
export function countedReply(listener: Listener) {
  const accepts = listener.protocol === "tcp" ? ({ accepts: true } as const) : {};
  return { ...reply(listener), ...accepts, notToLoopback: true, untracked: true } as const satisfies PacketMatch;
}

/** A DNS message with the shortest question (header, root, type and class), including the UDP header. */
export const shortestQuestion = 8 + 12 + 5;

export function query({ address, protocol }: Listener) {
  return { destination: address, protocol, destinationPort: 53 } as const satisfies PacketMatch;
}

export function reply({ address, protocol }: Listener) {
  return { source: address, protocol, sourcePort: 53 } as const satisfies PacketMatch;
}

/** What others send to an address on our link that is not DNS: whatever listens on all addresses would answer. */
export function foreign({ address, protocol }: Listener) {
  return {
    destination: address,
    protocol,
    otherPort: 53,
    notFromLoopback: true,
    unasked: true,
  } as const satisfies PacketMatch;
}

/** Only the watchdog sends this. Our rules drop it, and as long as the kernel refuses it, they are in place. */
export function canary(probe: string) {
  return { source: probe, ...query({ address: probe, protocol: "udp" }) } as const satisfies PacketMatch;
}
