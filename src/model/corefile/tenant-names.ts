import { beyondLabels, type Tenancy } from "../tenancy/membership";
import { bufsize, plugin, serverBlock, startOfAuthority } from "./corefile";
import type { Corefile, Directive, ServerBlock } from "./corefile";
import { regexAlternations, regexOf } from "./regex";
import { forwardToMain } from "./to-main";

/**
 * Server blocks for the names of tenants. Each tenant has a zone of its own, which CoreDNS looks up in a map, so
 * tenants cost other names nothing. The block removes the tenant from the name and asks the main block over loopback.
 * With one rule per tenant in the main block instead, 1,000 tenants slowed every name by 1 to 2 ms.
 */
export function tenantBlocks(tenancy: Tenancy, domain: string, ttl: number, version: string | undefined): Corefile {
  const { tenants, systemTenant: system } = tenancy;
  const block = (names: readonly string[], rewrites: readonly Directive[]): ServerBlock =>
    serverBlock(
      names.map((name) => `${name}.svc.${domain}`),
      [bufsize, ...rewrites, noSuchName(domain, ttl), forwardToMain(version)],
    );
  const grouped = (rewritesOf: (group: typeof tenants) => Directive[]) =>
    groups(tenants).map((group) => {
      const names = group.map(({ name }) => name);
      return block(names, rewritesOf(group));
    });
  const memberBlocks: { readonly [membership in Tenancy["membership"]]: () => Corefile } = {
    listed: () =>
      grouped((group) => group.flatMap(({ name, namespaces = [] }) => listedRewrites(name, namespaces, domain))),
    // The block's zones leave only the tenant to match.
    prefix: () => grouped(() => [prefixRewrite("[-a-z0-9]+", domain)]),
    label: () => tenants.map(({ name }) => labelBlock(name, namespaceSelector(tenancy, name), domain, ttl)),
  };
  return [
    ...memberBlocks[tenancy.membership](),
    ...(system ? [block([system.name], listedRewrites(system.name, system.namespaces, domain))] : []),
  ];
}

/** NXDOMAIN for every name of the block's zones, or of these, with an SOA so that caches keep it. */
export function noSuchName(domain: string, ttl: number, zones: readonly string[] = []): Directive {
  return plugin(
    "template",
    ["ANY", "ANY", ...zones],
    [plugin("rcode", ["NXDOMAIN"]), plugin("authority", [`${domain}. ${ttl} ${startOfAuthority(`${domain}.`, ttl)}`])],
  );
}

/** Removes a tenant from the names of its own namespaces, and from its zone itself. */
export function listedRewrites(tenant: string, namespaces: readonly string[], domain: string): Directive[] {
  return regexAlternations(namespaces).map((alternatives) =>
    rewrite(`^(|(?:.+\\.)?${alternatives}\\.)${regexOf(tenant)}\\.svc\\.${regexOf(domain)}\\.$`, `{1}svc.${domain}.`),
  );
}

/** `service.namespace.tenant` to `service.tenant-namespace`; `tenants` is a regular expression. */
export function prefixRewrite(tenants: string, domain: string): Directive {
  return rewrite(
    `^((?:.+\\.)?)([-a-z0-9]+)\\.(${tenants})\\.svc\\.${regexOf(domain)}\\.$`,
    `{1}{3}-{2}.svc.${domain}.`,
  );
}

export function rewrite(regex: string, replacement: string): Directive {
  // `answer auto`: the answer carries the name that was asked.
  return plugin("rewrite", ["stop", "name", "regex", regex, replacement, "answer", "auto"]);
}

function namespaceSelector({ namespaceLabel, systemTenant }: Tenancy, tenant: string): string {
  const own = [...new Set([...beyondLabels, ...(systemTenant?.namespaces ?? [])])];
  return `${namespaceLabel}=${tenant},kubernetes.io/metadata.name notin (${own.join(",")})`;
}

// CoreDNS uses namespace labels only to filter what one `kubernetes` plugin shows, hence a plugin for each tenant.
function labelBlock(tenant: string, namespaces: string, domain: string, ttl: number): ServerBlock {
  return serverBlock(
    [`${tenant}.svc.${domain}`],
    [
      plugin("ready"),
      bufsize,
      rewrite(`^(.+\\.|)${regexOf(tenant)}\\.svc\\.${regexOf(domain)}\\.$`, `{1}svc.${domain}.`),
      plugin(
        "kubernetes",
        [domain],
        [plugin("pods", ["disabled"]), plugin("namespace_labels", [namespaces]), plugin("ttl", [ttl])],
      ),
      plugin("loadbalance"),
    ],
  );
}

// A block takes about 400 bytes of a ConfigMap; each rule and zone slows the other names of its block by about 1 us.
const tenantsPerBlock = 16;

function groups<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / tenantsPerBlock) }, (_, i) =>
    items.slice(i * tenantsPerBlock, (i + 1) * tenantsPerBlock),
  );
}
