import type { SystemTenant, TenancyOptions, Tenant } from "../props/tenancy";

/** A namespace as the names of its tenant have it. */
export interface Member {
  readonly tenant: string;
  /** The label before the tenant: with `membership: prefix` the namespace's name without the prefix. */
  readonly namespace: string;
}

export interface NamespaceFacts {
  readonly name: string;
  readonly labels?: { readonly [key: string]: string };
}

/** The tenant that a namespace belongs to, or undefined: the same answer that the rendered Corefile gives. */
export function memberOf(tenancy: TenancyOptions, { name, labels = {} }: NamespaceFacts): Member | undefined {
  const system = systemTenant(tenancy);
  if (system?.namespaces.includes(name)) return { tenant: system.name, namespace: name };
  const tenant = tenancy.tenants.find((candidate) =>
    belongs[tenancy.membership ?? "listed"](tenancy, candidate, name, labels),
  );
  if (!tenant) return undefined;
  return {
    tenant: tenant.name,
    namespace: tenancy.membership === "prefix" ? name.slice(tenant.name.length + 1) : name,
  };
}

/** The system tenant with its namespaces. */
export function systemTenant({ systemTenant: system }: TenancyOptions): Required<SystemTenant> | undefined {
  return system && { namespaces: ["default", "kube-system"], ...system };
}

type Belongs = (
  tenancy: TenancyOptions,
  tenant: Tenant,
  name: string,
  labels: { readonly [key: string]: string },
) => boolean;

const belongs: { readonly [membership in NonNullable<TenancyOptions["membership"]>]: Belongs } = {
  listed: (_, tenant, name) => tenant.namespaces?.includes(name) ?? false,
  prefix: (_, tenant, name) => name.startsWith(`${tenant.name}-`) && name.length > tenant.name.length + 1,
  label: ({ namespaceLabel }, tenant, name, labels) =>
    namespaceLabel !== undefined &&
    labels[namespaceLabel] === tenant.name &&
    !["default", "kube-system"].includes(name),
};
