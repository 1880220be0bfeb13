/** All addresses. Each cluster has its own namespaces, so all clusters use the same ones. */

export type IpFamilies = "IPv4" | "dual";

export interface Address {
  readonly address: string;
  readonly prefix: number;
}

export const controlPlane: Addresses = {
  ipv4: { address: "172.30.0.1", prefix: 24 },
  ipv6: { address: "fd00:172:30::1", prefix: 64 },
};
export const serviceRanges = { ipv4: "10.96.0.0/16", ipv6: "fd00:96::/112" };
/** The first address of the range: the API server's Service. */
export const apiService = "10.96.0.1";
export const clusterDns = { ipv4: "10.96.0.10", ipv6: "fd00:96::a" };
export const podRanges = { ipv4: "10.244.0.0/16", ipv6: "fd00:10:244::/48" };
export const apiPort = 6443;

export interface Addresses {
  readonly ipv4: Address;
  readonly ipv6: Address;
}

/** Node 1 is 172.30.0.11, with pods in 10.244.1.0/24. */
export function nodeAddresses(index: number): Addresses {
  return {
    ipv4: { address: `172.30.0.${10 + index}`, prefix: 24 },
    ipv6: { address: `fd00:172:30::1${index}`, prefix: 64 },
  };
}

export function nodePodRanges(index: number): { readonly ipv4: string; readonly ipv6: string } {
  return { ipv4: `10.244.${index}.0/24`, ipv6: `fd00:10:244:${index}::/64` };
}

/** The values for the given families, for flags and fields that take a list. */
export function ofFamilies<T>(families: IpFamilies, both: { readonly ipv4: T; readonly ipv6: T }): T[] {
  return families === "dual" ? [both.ipv4, both.ipv6] : [both.ipv4];
}
