import ipaddr from "ipaddr.js";

/**
 * The address that the watchdog's probes come from: the one after the cache's link-local address, on the same link. Rules
 * tell probes by it from queries of the host's own processes, whose source would be the very address that they ask.
 */
export function probeAddress(linkLocalAddress: string): string {
  const bytes = ipaddr.parse(linkLocalAddress).toByteArray();
  for (let i = bytes.length - 1; i >= 0; i--) {
    const next = ((bytes[i] ?? 0) + 1) % 256;
    bytes[i] = next;
    if (next !== 0) break;
  }
  return ipaddr.fromByteArray(bytes).toString();
}
