import ipaddr from "ipaddr.js";
import { familyOfCIDR } from "../syntax/addresses";
import { canonicalName } from "../syntax/names";

/** The zones of `dns://corp.example.:53`: one, or the reverse zones of a CIDR. */
export function zonesOf(key: string): string[] {
  const zone = key.replace(/^\w+:\/\//, "").replace(/:\d+$/, "");
  if (familyOfCIDR(zone)) return reverseZones(zone);
  return [zone === "." ? zone : canonicalName(zone)];
}

/** The first, which is the only one for `forward` (plugin/forward/setup.go). */
export function zoneOf(key: string): string {
  return zonesOf(key)[0] ?? "";
}

/** A zone ends at an octet, or at a hexadecimal digit of IPv6: others are several (plugin/pkg/cidr/cidr.go). */
function reverseZones(cidr: string): string[] {
  const [network, length] = ipaddr.parseCIDR(cidr);
  const bytes = network.toByteArray();
  const [bits, base, top, digits] =
    network.kind() === "ipv4"
      ? ([8, 10, "in-addr.arpa", bytes] as const)
      : ([4, 16, "ip6.arpa", bytes.flatMap((byte) => [byte >> 4, byte & 15])] as const);
  const whole = Math.floor(length / bits);
  const zone = (parts: readonly number[]) => [...parts.map((part) => part.toString(base)).toReversed(), top].join(".");
  const fixed = digits.slice(0, whole);
  if (length % bits === 0) return [zone(fixed)];
  const count = 2 ** (bits - (length % bits));
  const last = digits[whole] ?? 0;
  return Array.from({ length: count }, (_, i) => zone([...fixed, last - (last % count) + i]));
}
