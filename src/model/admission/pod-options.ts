import type { FullAdmission } from "../full-props/fill-in";
import type { PodDnsOption } from "../tenancy/pod-dns-config";

/** What pods of all namespaces get, tenants' included. */
export interface PodOptions {
  readonly options: readonly PodDnsOption[];
  readonly excludedNamespaces: readonly string[];
}

/** Undefined: nothing. @param config A file with mistakes may lack its options. */
export function podOptionsOf(config: FullAdmission["podDNSConfig"]): PodOptions | undefined {
  if (!config) return undefined;
  const { options: said = {}, excludedNamespaces } = config;
  const options = Object.entries(said).flatMap(([name, value]: [string, number | boolean]) =>
    value === false ? [] : { name, ...(value === true ? {} : { value: String(value) }) },
  );
  return options.length > 0 ? { options, excludedNamespaces } : undefined;
}
