import ipaddr from "ipaddr.js";

/** The address after the cache's own on the link: by it, rules tell probes from queries of the host's processes. */
export function probeAddress(linkLocalAddress: string): string {
  return following(linkLocalAddress, 1);
}

/**
 * The address at which the node's own processes (the cache and the watchdog) reach the cluster DNS past the cache,
 * whatever the cache listens on: the second after the cache's link-local address. Our nftables rules always lead it to
 * the DNS Service.
 */
export function pastCacheAddress(linkLocalAddress: string): string {
  return following(linkLocalAddress, 2);
}

/** All addresses a node uses on the link for one link-local address of the cache. */
export function addressesOnLink(linkLocalAddress: string): string[] {
  return [linkLocalAddress, probeAddress(linkLocalAddress), pastCacheAddress(linkLocalAddress)];
}

function following(address: string, distance: number): string {
  const bytes = ipaddr.parse(address).toByteArray();
  for (let [i, carry] = [bytes.length - 1, distance]; i >= 0 && carry > 0; i--) {
    const sum = (bytes[i] ?? 0) + carry;
    bytes[i] = sum % 256;
    carry = Math.floor(sum / 256);
  }
  return ipaddr.fromByteArray(bytes).toString();
}
