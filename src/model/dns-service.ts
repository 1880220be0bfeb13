import { defaults, withDefaults } from "./defaults";
import type { AuthoritativeDnsOptions } from "./props/authoritative-dns";
import type { DnsPortNames, DnsServiceOptions } from "./props/dns-service";

/** The Service whose address pods ask, and the pods behind it: ours, or that of a DNS which the cluster already has. */
export interface DnsService extends Required<DnsServiceOptions> {
  readonly portNames: Required<DnsPortNames>;
}

export function dnsServiceOf({ service }: AuthoritativeDnsOptions = {}): DnsService {
  return {
    ...withDefaults(service, defaults.dnsService),
    portNames: withDefaults(service?.portNames, defaults.dnsPortNames),
  };
}
