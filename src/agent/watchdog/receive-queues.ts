import ipaddr from "ipaddr.js";

/**
 * The longest receive queue among the cache's sockets on an address, in bytes.
 * @param table The kernel's table of UDP sockets, /proc/net/udp or udp6.
 * @param socket What {@link boundTo} gives for the address.
 * @returns Undefined if the table has no such socket.
 */
export function longestQueue(table: string, socket: string): number | undefined {
  let longest: number | undefined;
  for (let at = table.indexOf(socket); at >= 0; at = table.indexOf(socket, at + 1)) {
    // Two columns follow, sent and received, as eight hexadecimal digits each.
    const queued = Number.parseInt(table.slice(at + socket.length + 9, at + socket.length + 17), 16);
    longest = Math.max(longest ?? 0, queued);
  }
  return longest;
}

/** The inodes of the cache's sockets on an address, which tell one from another. */
export function inodesOf(table: string, socket: string): Set<string> {
  const lines = table.split("\n").filter((line) => line.includes(socket));
  // Behind the socket: queues, timer, retransmits, user, timeout, inode.
  return new Set(lines.map((line) => line.slice(line.indexOf(socket) + socket.length).split(/\s+/)[5] ?? ""));
}

/** How a socket's line begins that is bound to port 53 of exactly this address, and connected to nobody. */
export function boundTo(address: string): string {
  // The kernel prints the address as 32-bit numbers in the machine's byte order.
  const words = new Uint32Array(new Uint8Array(ipaddr.parse(address).toByteArray()).buffer);
  return `${[...words].map((word) => word.toString(16).toUpperCase().padStart(8, "0")).join("")}:0035 ${"0".repeat(words.length * 8)}:0000 07 `;
}

/** A queue that somebody reads becomes shorter sooner or later; 0: this one did. */
export function stillStanding(before: number, now: number): number {
  return before > 0 && now >= before ? now : 0;
}
