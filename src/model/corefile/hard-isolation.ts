import type { Tenancy } from "../tenancy/membership";
import { plugin, serverBlock, type Corefile, type Directive } from "./corefile";
import { regexAlternations, regexOf } from "./regex";
import { listedRewrites, noSuchName, prefixRewrite, rewrite } from "./tenant-names";

/**
 * The cluster domain as two server blocks: one for queries that may be answered, one that answers NXDOMAIN to all
 * others. Names of a tenant, and plain names of its namespaces, are answered only to a pod known to be in one of its
 * namespaces; an expression that fails counts as no. The answer is NXDOMAIN because resolvers abandon their search list
 * on REFUSED.
 * @param common Plugins of the block that answers.
 * @param metrics Of either block.
 */
export function isolatedBlocks(
  tenancy: Tenancy,
  domain: string,
  ttl: number,
  common: readonly Directive[],
  metrics: Directive,
): Corefile {
  return [
    serverBlock(
      [domain],
      [
        ...common,
        plugin("metadata"),
        plugin("view", ["own"], [plugin("expr", [ownNames(tenancy, domain)])]),
        ...rewrites(tenancy, domain),
        // No reverse zones: an address would reveal the names of other tenants. Only `verified` knows the client's
        // namespace.
        plugin("kubernetes", [domain], [plugin("pods", ["verified"]), plugin("ttl", [ttl])]),
        metrics,
        plugin("loadbalance"),
      ],
    ),
    serverBlock([domain], [metrics, noSuchName(domain, ttl)]),
  ];
}

// The view has checked that the namespace in a tenant's name belongs to the tenant, so removing the tenant is enough.
function rewrites(tenancy: Tenancy, domain: string): Directive[] {
  const { systemTenant: system } = tenancy;
  return [
    ...regexAlternations(tenancy.tenants.map(({ name }) => name)).map((tenants) =>
      tenancy.membership === "prefix"
        ? prefixRewrite(tenants, domain)
        : rewrite(`^(.+\\.|)${tenants}\\.svc\\.${regexOf(domain)}\\.$`, `{1}svc.${domain}.`),
    ),
    ...(system ? listedRewrites(system.name, system.namespaces, domain) : []),
  ];
}

/** As an expression of `view`. Tables are strings to search: lists are limited to 10,000 entries there. */
function ownNames(tenancy: Tenancy, domain: string): string {
  const { tenants } = tenancy;
  const owned = tenants.flatMap(({ name, namespaces = [] }) => namespaces.map((namespace) => `${namespace}=${name}`));
  // The label before `svc` or `pod`: a namespace or a tenant. `split` leaves an empty last label.
  const depth = domain.split(".").length + 3;
  const listed = tenancy.membership !== "prefix";
  const ownerOf = listed ? listedOwner : prefixOwner;
  return [
    "let labels = split(name(), '.');",
    "let client = metadata('kubernetes/client-namespace');",
    `let tenants = ${table(tenants.map(({ name }) => name))};`,
    ...(listed ? [`let owners = ${table(owned)};`] : []),
    `let owner = len(labels) >= ${depth} ? labels[-${depth}] : '';`,
    `let tenant = tenants contains ' ' + owner + ' ' ? owner : (${ownerOf("owner")});`,
    `tenant == '' || ((${ownerOf("client")}) == tenant`,
    ...(listed
      ? [
          `&& (tenant != owner || len(labels) == ${depth} || owners contains ' ' + labels[-${depth + 1}] + '=' + tenant + ' ')`,
        ]
      : []),
    ")",
  ].join(" ");
}

function listedOwner(namespace: string): string {
  return `owners contains ' ' + ${namespace} + '=' ? split(split(owners, ' ' + ${namespace} + '=', 2)[1], ' ', 2)[0] : ''`;
}

// The part before one of its hyphens that is a tenant. At most one is, because no tenant is a prefix of another.
function prefixOwner(namespace: string): string {
  const parts = `split(${namespace}, '-')`;
  return `find(map(1..len(${parts}) - 1, join(${parts}[:#], '-')), tenants contains ' ' + # + ' ') ?? ''`;
}

function table(entries: readonly string[]): string {
  const hostile = entries.find((entry) => !/^[-a-z0-9=]+$/.test(entry));
  if (hostile !== undefined) throw new Error(`Corefile: ${JSON.stringify(hostile)} cannot be in an expression`);
  return `' ${entries.map((entry) => `${entry} `).join("")}'`;
}
