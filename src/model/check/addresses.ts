import { addressRange, canonicalAddress, familyOf, familyOfCIDR, inCIDR, isReservedIn } from "../syntax/addresses";
import { addressesOnLink } from "../query-path/link-addresses";
import type { QueryPath } from "../query-path/query-path";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { Problem } from "../syntax/problem";
import { article, show } from "../syntax/show";
import { about, type Given } from "./report";

/** The cluster's own addresses: the DNS Service's, the service CIDRs, and the node cache's. */
export function addressRules({ props, cluster }: Given): Problem[] {
  const { clusterDNS = [], serviceCIDRs = [] } = props;
  const linkLocal = props.nodeLocalDNS?.linkLocalAddresses ?? [];
  return [
    ...twiceOneFamily("serviceCIDRs", serviceCIDRs.map(familyOfCIDR)),
    ...clusterDNS.flatMap((address, i) =>
      about(["clusterDNS", i]).say(clusterDNSFault(address, serviceCIDRs.filter(familyOfCIDR))),
    ),
    ...twiceOneFamily("clusterDNS", clusterDNS.map(familyOf)),
    ...linkLocal.flatMap((address, i) =>
      about(["nodeLocalDNS", "linkLocalAddresses", i]).say(linkLocalFault(props, address)),
    ),
    ...defaultLinkLocal(linkLocal, cluster?.queryPath).flatMap((address) =>
      about(["nodeLocalDNS", "linkLocalAddresses"]).say(linkLocalFault(props, address)),
    ),
    ...twiceOneFamily(["nodeLocalDNS", "linkLocalAddresses"], linkLocal.map(familyOf)),
  ];
}

/** The default addresses of the cache, if it has any. */
function defaultLinkLocal(configured: readonly string[], path: QueryPath | undefined): string[] {
  if (path === undefined || path.state === "disabled") return [];
  return path.linkLocalAddresses.filter((address) => !configured.includes(address));
}

function clusterDNSFault(address: string, serviceCIDRs: readonly string[]): string | undefined {
  if (!familyOf(address)) return undefined;
  const spelling = spellingFault(address);
  if (spelling !== undefined) return spelling;
  const range = addressRange(address);
  if (["unspecified", "broadcast", "multicast", "linkLocal", "loopback", "ipv4Mapped"].includes(range))
    return `${show(address)} is ${article(range)} address, which no Service can have; use the cluster IP of Service kube-dns`;
  if (serviceCIDRs.length > 0 && !serviceCIDRs.some((cidr) => inCIDR(address, cidr)))
    return `${show(address)} is not in serviceCIDRs (${serviceCIDRs.join(", ")}); use an address of the DNS Service inside them`;
  return serviceCIDRs.some((cidr) => isReservedIn(address, cidr))
    ? `${show(address)} is the first or last address of its service CIDR, which only Service kubernetes can have; use another, usually the tenth`
    : undefined;
}

/** Addresses that clouds and other caches already use, in their canonical spelling, and whose they are. */
const takenLinkLocal: ReadonlyMap<string, string> = new Map([
  ["169.254.169.254", "of instance metadata"],
  ["fd00:ec2::254", "of instance metadata"],
  ["fd20:ce::254", "of instance metadata"],
  ["169.254.169.253", "of AWS's resolver"],
  ["fd00:ec2::253", "of AWS's resolver"],
  ["169.254.170.23", "of EKS's pod identity"],
  ["fd00:ec2::23", "of EKS's pod identity"],
  ["169.254.25.10", "of kubespray's node cache"],
]);

function linkLocalFault({ clusterDNS = [], serviceCIDRs = [] }: ClusterDnsProps, address: string): string | undefined {
  const family = familyOf(address);
  if (!family) return undefined;
  const spelling = spellingFault(address);
  if (spelling !== undefined) return spelling;
  const wanted = addressesOnLink(canonicalAddress(address));
  const ranges = family === "IPv4" ? ["linkLocal", "private"] : ["uniqueLocal"];
  const unfit = wanted.find((each) => !ranges.includes(addressRange(each)));
  if (unfit !== undefined)
    return `${show(address)}${unfit === wanted[0] ? "" : `, or rather ${unfit} after it,`} is a ${addressRange(unfit)} address; accepted: ${family === "IPv4" ? "169.254.0.0/16 or a private one" : "a unique local one (fd00::/8); link-local IPv6 needs a scope"}`;
  const taken = new Map([
    ...clusterDNS.map((each) => [canonicalAddress(each), "of clusterDNS"] as const),
    ...takenLinkLocal,
  ]);
  const used = wanted.find((each) => taken.has(each));
  if (used !== undefined)
    return `${show(address)}, or one of the two addresses after it, is in use: ${used} is ${taken.get(used)}; choose three that nothing else answers on`;
  if (serviceCIDRs.filter(familyOfCIDR).some((cidr) => wanted.some((each) => inCIDR(each, cidr))))
    return `${show(address)}, or one of the two addresses after it, is in serviceCIDRs, where the API server may give it to a Service; choose one outside`;
  const families = clusterDNS.map(familyOf);
  return families.length > 0 && !families.includes(undefined) && !families.includes(family)
    ? `${show(address)} is ${family}, but clusterDNS is ${[...new Set(families)].join(" and ")} only`
    : undefined;
}

/** Objects hold addresses as written here, and the API server and kubelets compare text. */
function spellingFault(address: string): string | undefined {
  const canonical = canonicalAddress(address);
  return canonical === address || addressRange(address) === "ipv4Mapped"
    ? undefined
    : `${show(address)} is not the canonical spelling (RFC 5952); use ${canonical}`;
}

function twiceOneFamily(path: string | readonly string[], families: readonly (string | undefined)[]): Problem[] {
  const [first, second] = families;
  return about([path, 1].flat()).when(
    first !== undefined && first === second,
    `is a second ${second} address; accepted: one address, or one of each family`,
  );
}
