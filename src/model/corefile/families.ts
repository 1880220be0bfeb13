import { defaults } from "../defaults";
import type { ClusterDnsProps } from "../props/cluster-dns";
import { plugin, startOfAuthority, type Directive } from "./corefile";

/** What clusters of one family make of answers for names outside. */
export type FamilyOptions = Pick<ClusterDnsProps, "filterAAAA" | "dns64">;

/** No data has an SOA record, so that caches keep it. Of a name that does not exist, nobody is asked either. */
export function ofFamilies({ filterAAAA, dns64 }: FamilyOptions = {}): Directive[] {
  const { ttl } = defaults.zone;
  const authority = `. ${ttl} ${startOfAuthority("", ttl)}`;
  return [
    ...(filterAAAA ? [plugin("template", ["IN", "AAAA"], [plugin("authority", [authority])])] : []),
    // `allow_ipv4`: also for what asks over the loopback's IPv4 address: rewrites, the federation, the cache that walks a
    // search path. With the prefix as an argument, CoreDNS reads no options.
    ...(dns64 === undefined ? [] : [plugin("dns64", [], [plugin("prefix", [dns64]), plugin("allow_ipv4")])]),
  ];
}
