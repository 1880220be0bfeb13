import ipaddr from "ipaddr.js";
import { familyOfCIDR } from "../syntax/addresses";
import { canonicalName } from "../syntax/names";
import type { ServerBlock, ServerKey, Transport } from "./corefile";

/** The port of each protocol (plugin/pkg/transport/transport.go). */
const transportPorts: { readonly [transport in Transport]: number } = {
  dns: 53,
  tls: 853,
  quic: 853,
  https: 443,
  https3: 443,
  grpc: 443,
};

/** Reads `corp.example`, `.:5353`, `tls://corp.example.:853`; undefined for what CoreDNS does not take as a key. */
export function parseKey(text: string): ServerKey | undefined {
  const [, scheme = "dns", zone = "", port] = /^(?:(\w+):\/\/)?(.*?)(?::(\d+))?$/.exec(text) ?? [];
  if (!isTransport(scheme) || zone.includes("://")) return undefined;
  return { zone: zone === "" ? "." : zone, port: port ? Number(port) : transportPorts[scheme], transport: scheme };
}

function isTransport(scheme: string): scheme is Transport {
  return Object.hasOwn(transportPorts, scheme);
}

/** `corp.example:53`, `tls://corp.example:853`. */
export function formatKey({ zone, port, transport }: ServerKey): string {
  return `${transport === "dns" ? "" : `${transport}://`}${zone}:${port}`;
}

/** As people write it: `corp.example`, `tls://.`, `.:5353`. */
export function nameOfKey(key: ServerKey): string {
  const text = formatKey(key);
  return key.port === transportPorts[key.transport] ? text.replace(/:\d+$/, "") : text;
}

/** The zones that a key, or an argument of a plugin, stands for: one, or the reverse zones of a CIDR. */
export function zonesOf(zone: string): string[] {
  if (familyOfCIDR(zone)) return reverseZonesOf(zone);
  return [zone === "." ? zone : canonicalName(zone)];
}

export function zonesIn({ keys }: Pick<ServerBlock, "keys">): string[] {
  return keys.flatMap(({ zone }) => zonesOf(zone));
}

/** A zone ends at an octet, or at a hexadecimal digit of IPv6: others are several (plugin/pkg/cidr/cidr.go). */
function reverseZonesOf(cidr: string): string[] {
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
