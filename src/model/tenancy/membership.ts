import { defaults, withDefaults } from "../defaults";
import type { Isolation, Membership, SystemTenant, TenancyOptions, Tenant } from "../props/tenancy";

/** Tenants with every default. */
export interface Tenancy extends TenancyOptions {
  readonly membership: Membership;
  readonly isolation: Isolation;
  readonly systemTenant?: Required<SystemTenant>;
  /** Missing: not. */
  readonly strict?: true;
}

export function tenancyOf(options: TenancyOptions): Tenancy {
  const { systemTenant: system, strict, ...rest } = withDefaults(options, defaults.tenancy);
  return {
    ...rest,
    ...(system && { systemTenant: withDefaults(system, defaults.systemTenant) }),
    ...(strict && { strict }),
  };
}

/** Of all tenants, the system tenant too. */
export function tenantNames({ tenants = [], systemTenant }: Partial<Tenancy>): string[] {
  return [...tenants, ...(systemTenant ? [systemTenant] : [])].map(({ name }) => name);
}

/** A namespace as it appears in its tenant's names. */
export interface Member {
  readonly tenant: string;
  /** The label before the tenant: with `membership: prefix`, the namespace's name without the prefix. */
  readonly namespace: string;
}

export interface NamespaceFacts {
  readonly name: string;
  readonly labels?: { readonly [key: string]: string };
}

/** Namespaces of the cluster's own, which no label assigns to a tenant. */
export const beyondLabels: readonly string[] = defaults.systemTenant.namespaces;

/** The tenant of a namespace, or undefined: the same answer that the rendered Corefile gives. */
export function memberOf(tenancy: Tenancy, { name, labels = {} }: NamespaceFacts): Member | undefined {
  const { systemTenant: system, membership, tenants } = tenancy;
  if (system?.namespaces.includes(name)) return { tenant: system.name, namespace: name };
  const tenant = tenants.find((candidate) => belongs[membership](tenancy, candidate, name, labels));
  if (!tenant) return undefined;
  return { tenant: tenant.name, namespace: membership === "prefix" ? name.slice(tenant.name.length + 1) : name };
}

type Belongs = (tenancy: Tenancy, tenant: Tenant, name: string, labels: { readonly [key: string]: string }) => boolean;

const belongs: { readonly [membership in Membership]: Belongs } = {
  listed: (_, tenant, name) => tenant.namespaces?.includes(name) ?? false,
  prefix: (_, tenant, name) => name.startsWith(`${tenant.name}-`) && name.length > tenant.name.length + 1,
  label: ({ namespaceLabel }, tenant, name, labels) =>
    namespaceLabel !== undefined && labels[namespaceLabel] === tenant.name && !beyondLabels.includes(name),
};

/** Whether DNS or Kubernetes already uses a name: labels of cluster names, and the cluster's own namespaces. */
export function isReservedName(name: string): boolean {
  return ["svc", "pod", "all", "default"].includes(name) || isClusterNamespace(name);
}

/** Namespaces that the cluster makes for itself (`kube-` is reserved for it), which no tenant may own. */
export function isClusterNamespace(name: string): boolean {
  return name === "default" || name === "kube" || name.startsWith("kube-");
}
