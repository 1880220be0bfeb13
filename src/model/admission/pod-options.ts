import { defaults, withDefaults } from "../defaults";
import type { PodDNSConfig } from "../props/admission";
import type { PodDnsOption } from "../tenancy/pod-dns-config";

/** What pods of all namespaces get, tenants' included. */
export interface PodOptions {
  readonly options: readonly PodDnsOption[];
  readonly excludedNamespaces: readonly string[];
}

/** Undefined: nothing. @param config A file with mistakes may lack its options. */
export function podOptionsOf(config: Partial<PodDNSConfig> | undefined): PodOptions | undefined {
  const { options: said = {}, excludedNamespaces } = withDefaults(config, defaults.podDNSConfig);
  const options = Object.entries(said).flatMap(([name, value]: [string, number | boolean]) =>
    value === false ? [] : { name, ...(value === true ? {} : { value: String(value) }) },
  );
  return options.length > 0 ? { options, excludedNamespaces } : undefined;
}
