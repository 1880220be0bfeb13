import type { Listener, Protocol } from "./listener";

/** What rules of either packet filter can ask of a packet. Everything given must hold. */
export interface PacketMatch {
  readonly source?: string;
  readonly destination?: string;
  readonly protocol?: Protocol;
  readonly sourcePort?: number;
  readonly destinationPort?: number;
  /** It goes to any port of its protocol but this. */
  readonly otherPort?: number;
  /** It came by a link other than the loopback. In hook input only. */
  readonly notFromLoopback?: true;
  /** It leaves by a link other than the loopback. */
  readonly notToLoopback?: true;
  /** UDP: a question in form, long enough to hold one. What is not is never answered. */
  readonly isQuestion?: true;
  /** TCP: it opens a connection, or accepts one. */
  readonly opens?: true;
  readonly accepts?: true;
  /** Conntrack was told to leave it alone. */
  readonly untracked?: true;
  /** It answers nothing that conntrack knows of. */
  readonly unasked?: true;
}

/**
 * What counts as a request once the node has let it in, and what as the reply. Over TCP only what opens a connection: each of these has one
 * reply, while of the packets that follow most have none.
 */
export function countedRequest(listener: Listener) {
  const form = listener.protocol === "udp" ? ({ isQuestion: true } as const) : ({ opens: true } as const);
  return { ...query(listener), ...form, notFromLoopback: true, untracked: true } as const satisfies PacketMatch;
}

/** What the cache sent and nothing has dropped. Translated replies are tracked, and so are not counted. */
export function countedReply(listener: Listener) {
  const form = listener.protocol === "tcp" ? ({ accepts: true } as const) : {};
  return { ...reply(listener), ...form, notToLoopback: true, untracked: true } as const satisfies PacketMatch;
}

/** A DNS message with the shortest question: its header, the root, type and class. With the header of UDP. */
export const shortestQuestion = 8 + 12 + 5;

export function query({ address, protocol }: Listener) {
  return { destination: address, protocol, destinationPort: 53 } as const satisfies PacketMatch;
}

export function reply({ address, protocol }: Listener) {
  return { source: address, protocol, sourcePort: 53 } as const satisfies PacketMatch;
}

/** What others send to an address of our link for something that is no DNS: what listens on all addresses would answer. */
export function foreign({ address, protocol }: Listener) {
  return {
    destination: address,
    protocol,
    otherPort: 53,
    notFromLoopback: true,
    unasked: true,
  } as const satisfies PacketMatch;
}

/** Only the watchdog sends this. It is dropped, and as long as the kernel refuses it, our rules are in place. */
export function canary(probe: string) {
  return { source: probe, ...query({ address: probe, protocol: "udp" }) } as const satisfies PacketMatch;
}
