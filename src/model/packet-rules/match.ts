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
  /** It came by a link other than the loopback. */
  readonly notFromLoopback?: true;
  /** It leaves by a link other than the loopback. */
  readonly notToLoopback?: true;
  /** Conntrack was told to leave it alone. */
  readonly untracked?: true;
  /** It answers nothing that conntrack knows of. */
  readonly unasked?: true;
}

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
