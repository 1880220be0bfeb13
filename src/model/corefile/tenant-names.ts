import type { AuthoritativeDnsOptions } from "../props/authoritative-dns";
import type { ClusterFacts } from "../props/cluster-facts";
import type { TenancyOptions } from "../props/tenancy";
import { systemTenant } from "../tenancy/membership";
import { plugin, type Corefile, type Directive, type ServerBlock } from "./corefile";
import { regexAlternations, regexOf } from "./regex";
import { bufsize } from "./shared";

/**
 * Server blocks for the names of tenants. Each tenant has a zone of its own, so that CoreDNS finds it by a look-up in a map and
 * all other names pay nothing for tenants: there the tenant is taken out of the name, and what is left is asked of the main
 * block over loopback. With one rule a tenant in the main block instead, 1,000 tenants made every name slower by 1 to 2 ms.
 */
export function tenantBlocks(facts: ClusterFacts, options: AuthoritativeDnsOptions): Corefile {
  const { tenancy } = facts;
  if (!tenancy) return [];
  const domain = facts.clusterDomain ?? "cluster.local";
  const block = (tenants: readonly string[], rewrites: readonly Directive[]): ServerBlock => ({
    zones: tenants.map((tenant) => `${tenant}.svc.${domain}`),
    plugins: [plugin("errors"), bufsize, ...rewrites, noSuchName(domain, options), forwardToMain],
  });
  return [
    ...memberBlocks[tenancy.membership ?? "listed"](tenancy, domain, options, block),
    ...systemBlock(tenancy, domain, block),
  ];
}

/** NXDOMAIN for every name of the block's zones, with the SOA that lets caches keep it. */
export function noSuchName(domain: string, { ttl = 30 }: AuthoritativeDnsOptions): Directive {
  return plugin(
    "template",
    ["ANY", "ANY"],
    [
      plugin("rcode", ["NXDOMAIN"]),
      plugin("authority", [
        `${domain}. ${ttl} IN SOA ns.dns.${domain}. hostmaster.${domain}. 1 7200 1800 86400 ${ttl}`,
      ]),
    ],
  );
}

/** Loopback, with no health checks: there is no other server to go to. */
export const forwardToMain = plugin("forward", [".", "127.0.0.1:53"], [plugin("max_fails", [0])]);

/** Takes a tenant out of the names of its own namespaces, and of its zone itself. */
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

type Block = (tenants: readonly string[], rewrites: readonly Directive[]) => ServerBlock;
type MemberBlocks = (
  tenancy: TenancyOptions,
  domain: string,
  options: AuthoritativeDnsOptions,
  block: Block,
) => Corefile;

const memberBlocks: { readonly [membership in NonNullable<TenancyOptions["membership"]>]: MemberBlocks } = {
  listed: ({ tenants }, domain, _, block) =>
    groups(tenants).map((group) =>
      block(
        group.map(({ name }) => name),
        group.flatMap(({ name, namespaces = [] }) => listedRewrites(name, namespaces, domain)),
      ),
    ),
  // The zones of a block leave only tenants to match.
  prefix: ({ tenants }, domain, _, block) =>
    groups(tenants).map((group) =>
      block(
        group.map(({ name }) => name),
        [prefixRewrite("[-a-z0-9]+", domain)],
      ),
    ),
  label: (tenancy, domain, options) =>
    tenancy.tenants.map(({ name }) => labelBlock(name, selector(tenancy, name), domain, options)),
};

// No label makes the cluster's own namespaces a tenant's.
function selector(tenancy: TenancyOptions, tenant: string): string {
  const own = [...new Set(["default", "kube-system", ...(systemTenant(tenancy)?.namespaces ?? [])])];
  return `${tenancy.namespaceLabel}=${tenant},kubernetes.io/metadata.name notin (${own.join(",")})`;
}

// CoreDNS reads labels of namespaces only as a filter of what one `kubernetes` plugin shows, hence a plugin for each tenant.
function labelBlock(
  tenant: string,
  namespaces: string,
  domain: string,
  { ttl = 30 }: AuthoritativeDnsOptions,
): ServerBlock {
  return {
    zones: [`${tenant}.svc.${domain}`],
    plugins: [
      plugin("errors"),
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
  };
}

function systemBlock(tenancy: TenancyOptions, domain: string, block: Block): Corefile {
  const system = systemTenant(tenancy);
  return system ? [block([system.name], listedRewrites(system.name, system.namespaces, domain))] : [];
}

// A block costs about 400 bytes of a ConfigMap; a rule and a zone cost the names of the others in their block about 1 us each.
const tenantsPerBlock = 16;

function groups<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / tenantsPerBlock) }, (_, i) =>
    items.slice(i * tenantsPerBlock, (i + 1) * tenantsPerBlock),
  );
}
