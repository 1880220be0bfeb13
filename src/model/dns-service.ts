import { defaults } from "./defaults";
import { entriesUnlike } from "./kubernetes/differences";
import type { DnsPortNames, DnsServiceOptions } from "./props/dns-service";

/** The Service whose address pods ask, and the pods behind it: ours, or that of a DNS which the cluster already has. */
export interface DnsService extends Required<DnsServiceOptions> {
  readonly portNames: Required<DnsPortNames>;
}

/** Kubeadm's, which most clusters have. */
export const usualDnsService: DnsService = { ...defaults.dnsService, portNames: defaults.dnsPortNames };

/** What a Service has otherwise than another. What is undefined is not known. */
export function otherwise(is: DnsServiceOptions, { portNames, ...said }: DnsService): DnsServiceOptions {
  const { portNames: names = {}, ...rest } = is;
  const otherNames = entriesUnlike(names, portNames);
  return { ...entriesUnlike(rest, said), ...(Object.keys(otherNames).length > 0 && { portNames: otherNames }) };
}
