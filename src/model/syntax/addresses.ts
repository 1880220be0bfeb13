import ipaddr from "ipaddr.js";

export type Family = "IPv4" | "IPv6";

/** The family of an address in plain notation (`10.96.0.10`, `fd00::a`), or undefined if it is not an address. */
export function familyOf(address: string): Family | undefined {
  // ipaddr.js detects this by throwing, which is slow, and also accepts `10.1` and `0x7f.1`, unlike CoreDNS and
  // Kubernetes.
  if (address.includes(":"))
    return /^[\da-fA-F:.]+$/.test(address) && ipaddr.IPv6.isValid(address) ? "IPv6" : undefined;
  return /^\d+\.\d+\.\d+\.\d+$/.test(address) && ipaddr.IPv4.isValidFourPartDecimal(address) ? "IPv4" : undefined;
}

/** The CIDR of a single address: `10.96.0.10/32`, `fd00::a/128`. */
export function hostCIDR(address: string): string {
  return `${address}/${familyOf(address) === "IPv6" ? 128 : 32}`;
}

/** One spelling for each address, for comparisons; an IPv4-mapped IPv6 address becomes IPv4. */
export function canonicalAddress(address: string): string {
  return familyOf(address) ? ipaddr.process(address).toString() : address;
}

/** An address in parts of 16 bits. */
export function wordsOf(address: string): number[] {
  const bytes = ipaddr.parse(address).toByteArray();
  return bytes.flatMap((byte, i) => (i % 2 === 0 ? byte * 256 + (bytes[i + 1] ?? 0) : []));
}

/** The kind of address, in ipaddr.js's words: `unicast`, `private`, `loopback`, `linkLocal`, `uniqueLocal` ... */
export function addressRange(address: string): string {
  return ipaddr.parse(address).range();
}

/** Whether `address` lies in `cidr` (`10.96.0.0/16`); false if the families differ. */
export function inCIDR(address: string, cidr: string): boolean {
  const [network, length] = ipaddr.parseCIDR(cidr);
  const parsed = ipaddr.parse(address);
  return parsed.kind() === network.kind() && parsed.match(network, length);
}

/** The network's own address, the first (Service `kubernetes`) and IPv4's broadcast. */
export function isReservedIn(address: string, cidr: string): boolean {
  const parsed = ipaddr.parse(address);
  const [network] = ipaddr.parseCIDR(cidr);
  if (parsed.kind() !== network.kind()) return false;
  if (network.kind() === "ipv6") return parsed.match(ipaddr.IPv6.networkAddressFromCIDR(cidr), 127);
  const last = ipaddr.IPv4.broadcastAddressFromCIDR(cidr).toString();
  return parsed.match(ipaddr.IPv4.networkAddressFromCIDR(cidr), 31) || parsed.toString() === last;
}

/** The family of a CIDR, or undefined if it is not a CIDR. */
export function familyOfCIDR(cidr: string): Family | undefined {
  const [address = "", length = "", ...rest] = cidr.split("/");
  const family = familyOf(address);
  const most = family === "IPv4" ? 32 : 128;
  return family && rest.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= most ? family : undefined;
}

/** A server as users write it: `IP`, `IP:port` or `[IPv6]:port`. */
export interface Server {
  readonly address: string;
  readonly port?: number;
}

export function parseServer(text: string): Server | undefined {
  if (familyOf(text)) return { address: text };
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  const address = match?.[1] ?? match?.[2];
  const family = address === undefined ? undefined : familyOf(address);
  const port = Number(match?.[3]);
  const bracketsFit = family === (match?.[1] === undefined ? "IPv4" : "IPv6");
  return address !== undefined && bracketsFit && port >= 1 && port <= 65535 ? { address, port } : undefined;
}
