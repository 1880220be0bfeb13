import { features } from "../kubernetes-version";
import type { Cluster } from "../cluster/cluster";
import { type Tenancy, isClusterNamespace, isReservedName } from "../tenancy/membership";
import type { ClusterDnsProps } from "../props/cluster-dns";
import { compareVersions } from "../syntax/compare-versions";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import type { TenancyOptions } from "../props/tenancy";
import { isDNSLabel, longestServiceZone } from "../syntax/names";
import { isUnwritable } from "./metadata";
import { about, type Given } from "./report";
import { needsVersion } from "./versions";

export function tenancyRules({ props, cluster, said }: Given): Problem[] {
  const { tenancy, clusterDomain } = said;
  // Without valid tenants the rest is pointless; that they are missing or malformed is already reported.
  if (!tenancy?.tenants) return [];
  return [
    ...tenantNameProblems(tenancy, clusterDomain),
    ...namespaceProblems(tenancy, props.tenancy?.systemTenant?.namespaces !== undefined),
    ...membershipProblems(tenancy),
    ...isolationProblems(props, cluster, tenancy),
    ...about(["tenancy", "strict"]).when(
      tenancy.strict === true && props.admission === undefined,
      "has no effect without admission, which sets pods' DNS; add admission, or leave it out",
    ),
  ];
}

/** What precedes a tenant in its names must not be a tenant, and what precedes `svc` no namespace: one meaning. */
function tenantNameProblems(tenancy: Tenancy, clusterDomain: string): Problem[] {
  const seen = new Set<string>();
  const longest = longestServiceZone - `.svc.${clusterDomain}`.length;
  return named(tenancy).flatMap(({ name, path }) => {
    const isAgain = seen.has(name);
    seen.add(name);
    return about(path).say(dnsLabelFault(name, "tenant") ?? tenantNameFault(name, isAgain, longest));
  });
}

function tenantNameFault(name: string, isAgain: boolean, longest: number): string | undefined {
  // The ConfigMap of tenants has them as keys.
  if (isUnwritable(name)) return `${show(name)} cannot be written as a key; choose another name`;
  if (isAgain) return `${show(name)} is named twice; keep one`;
  return name.length > longest
    ? `${show(name)} has ${name.length} characters; at most ${longest} in this cluster domain, or Service names would exceed 253`
    : undefined;
}

export function dnsLabelFault(name: string, what: string): string | undefined {
  if (!isDNSLabel(name))
    return `${show(name)} is not an RFC 1123 label; accepted: lower case letters, digits and -, at most 63`;
  return isReservedName(name)
    ? `${show(name)} is reserved (svc, pod, all, default, kube-*); choose another name for the ${what}`
    : undefined;
}

function namespaceProblems(tenancy: Tenancy, saysSystem: boolean): Problem[] {
  const tenants = new Set(named(tenancy).map(({ name }) => name));
  const owners = new Map<string, string>();
  return namespacesOf(tenancy, saysSystem).flatMap(({ namespace, tenant, system, path }) => {
    const owner = owners.get(namespace);
    const shown = show(namespace);
    owners.set(namespace, tenant);
    if (tenants.has(namespace))
      return about(path).say(
        `${shown} is also the name of a tenant, so its Services and the tenant's would have one name; rename the tenant`,
      );
    if (owner !== undefined)
      return about(path).say(`${shown} is listed twice (tenant ${owner}); a namespace has only one tenant`);
    return about(path).when(
      !system && isClusterNamespace(namespace),
      `${shown} belongs to the cluster; list it in systemTenant`,
    );
  });
}

// With `label`, every CoreDNS pod has a copy of the cluster's Services for each tenant, and the API server a watch.
const maxLabelTenants = 32;

function membershipProblems(tenancy: Tenancy): Problem[] {
  const { membership, namespaceLabel, tenants } = tenancy;
  return [
    ...tenants.flatMap(({ name, namespaces }, i) => [
      ...about(["tenancy", "tenants", i]).when(
        membership === "listed" && namespaces === undefined,
        `${name === undefined ? "a tenant" : show(name)} has no namespaces; list them, or choose membership: prefix or label`,
      ),
      ...about(["tenancy", "tenants", i, "namespaces"]).when(
        membership !== "listed" && namespaces !== undefined,
        `has no effect with membership: ${membership}; leave it out`,
      ),
    ]),
    ...(membership === "prefix" ? prefixProblems(tenancy) : []),
    ...about(["tenancy", "namespaceLabel"]).when(
      membership === "label" && namespaceLabel === undefined,
      "is required with membership: label; name the namespace label whose value is the tenant",
    ),
    ...about(["tenancy", "namespaceLabel"]).when(
      membership !== "label" && namespaceLabel !== undefined,
      `has no effect with membership: ${membership}; leave it out, or choose membership: label`,
    ),
    ...about(["tenancy", "membership"]).when(
      membership === "label" && tenants.length > maxLabelTenants,
      `label makes CoreDNS watch all Services once for each of ${tenants.length} tenants; at most ${maxLabelTenants}, or choose listed or prefix`,
    ),
  ];
}

function prefixProblems(tenancy: Tenancy): Problem[] {
  const system = tenancy.systemTenant?.namespaces ?? [];
  // Nothing in a name sorts before `-`, so a longer name directly follows its prefix.
  const sorted = named(tenancy)
    .map(({ name }) => name)
    .sort();
  const next = new Map(sorted.map((name, i) => [name, sorted[i + 1]]));
  return named({ tenants: tenancy.tenants }).flatMap(({ name, path }) => {
    return about(path).say(prefixFault(name, next.get(name), system));
  });
}

/** @param next The tenant whose name follows in the alphabet. */
function prefixFault(name: string, next: string | undefined, ofSystem: readonly string[]): string | undefined {
  if (name.length > 61)
    return `${show(name)} is too long for namespaces named ${name}-<namespace>; at most 61 characters`;
  if (next?.startsWith(`${name}-`))
    return `${show(name)} is the prefix of tenant ${show(next)}, so a namespace could belong to both; rename one, or choose membership: listed`;
  const taken = ofSystem.find((namespace) => namespace.startsWith(`${name}-`));
  return taken === undefined
    ? undefined
    : `${show(name)} is the prefix of ${show(taken)}, which belongs to the system tenant; rename the tenant`;
}

function isolationProblems(props: ClusterDnsProps, cluster: Cluster | undefined, tenancy: Tenancy): Problem[] {
  if (tenancy.isolation !== "hard") return [];
  const at = ["tenancy", "isolation"];
  const state = cluster?.queryPath?.state;
  const { image, pods } = props.authoritativeDNS ?? {};
  return [
    ...needsVersion(
      props,
      at,
      "hard, whose policy refuses aliases for other tenants' Services,",
      features.validatingAdmissionPolicy,
    ),
    ...about(at).when(
      state === "enabled" || state === "draining",
      "hard cannot work with a node cache: queries come from the node's address and answers are shared, so isolation would fail open; set nodeLocalDNS.state: disabled, or choose soft",
    ),
    ...about(["authoritativeDNS", "image"]).when(
      image !== undefined && !isAtLeast_1_14_7(image),
      `${show(image)} is not known to be CoreDNS 1.14.7 or newer, which tenancy.isolation: hard needs (older ones leak answers past a view); use a tag v1.14.7 or newer, followed by a digest if you like`,
    ),
    ...about(["authoritativeDNS", "pods"]).when(
      pods !== undefined && pods !== "verified",
      `${pods} does not show a client's namespace, which tenancy.isolation: hard needs; leave it out`,
    ),
    ...about(at).when(
      tenancy.membership === "label",
      "hard needs to know a client's tenant, which CoreDNS cannot read from a label; choose membership: listed or prefix",
    ),
    ...about(at).when(
      props.federation !== undefined,
      "hard cannot work with federation, whose names are answered for everyone; leave federation out, or choose soft",
    ),
  ];
}

function isAtLeast_1_14_7(image: string): boolean {
  const [, version] = /:v?(\d+\.\d+\.\d+)(?:@|$)/.exec(image) ?? [];
  return version !== undefined && compareVersions(version, "1.14.7") >= 0;
}

interface Named {
  readonly name: string;
  readonly path: Problem["path"];
}

function named({ tenants, systemTenant: system }: TenancyOptions): Named[] {
  return [
    ...tenants.flatMap(({ name }, i) =>
      name === undefined ? [] : [{ name, path: ["tenancy", "tenants", i, "name"] }],
    ),
    ...(system?.name === undefined ? [] : [{ name: system.name, path: ["tenancy", "systemTenant", "name"] }]),
  ];
}

interface Owned {
  readonly namespace: string;
  readonly tenant: string;
  readonly system: boolean;
  readonly path: Problem["path"];
}

/** Every listed namespace; a system tenant's defaults come first, so that a clash is reported at the other one. */
function namespacesOf(tenancy: Tenancy, saysSystem: boolean): Owned[] {
  const system = tenancy.systemTenant?.name === undefined ? undefined : tenancy.systemTenant;
  const systemPath = ["tenancy", "systemTenant", "namespaces"];
  return [
    ...(system?.namespaces ?? []).map((namespace, i) => ({
      namespace,
      tenant: system?.name ?? "",
      system: true,
      path: saysSystem ? [...systemPath, i] : ["tenancy", "systemTenant"],
    })),
    ...tenancy.tenants.flatMap(({ name, namespaces = [] }, i) =>
      namespaces.map((namespace, j) => ({
        namespace,
        tenant: name,
        system: false,
        path: ["tenancy", "tenants", i, "namespaces", j],
      })),
    ),
  ];
}
