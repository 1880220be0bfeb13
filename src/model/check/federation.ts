import { askedZone, publishedZone } from "../corefile/federation";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { inZone, longestServiceZone } from "../syntax/names";
import { about, type Given } from "./report";
import { dnsLabelFault } from "./tenancy";

/** Its name takes the place of a namespace or tenant in names, and its domain lies outside the cluster's. */
export function federationRules({ said: { federation, tenancy, clusterDomain } }: Given): Problem[] {
  if (!federation) return [];
  const { name, domain, region, zone } = federation;
  const tenants = tenancy?.tenants ?? [];
  const system = tenancy?.systemTenant;
  const isWhole = [name, domain, region, zone].every((part) => part !== undefined);
  const published = isWhole ? publishedZone(federation) : undefined;
  return [
    ...(name === undefined ? [] : about(["federation", "name"]).say(dnsLabelFault(name, "federation"))),
    ...about(["federation", "name"]).when(
      name !== undefined &&
        [...tenants, ...(system ? [system] : [])].some((t) => t.name === name || t.namespaces?.includes(name)),
      `${show(name)} is also the name of a tenant or a namespace; choose another`,
    ),
    ...about(["federation", "name"]).when(
      name !== undefined &&
        tenancy?.membership === "prefix" &&
        tenants.some((t) => t.name !== undefined && name.startsWith(`${t.name}-`)),
      `${show(name)} may be the name of a tenant's namespace; choose one without a tenant's prefix`,
    ),
    ...about(["federation", "domain"]).when(
      published !== undefined && (inZone(published, clusterDomain) || inZone(clusterDomain, published)),
      `${show(domain)} has names end in ${published}, which meets the cluster domain ${clusterDomain}, so a name not found here would be asked here again; set the federation's own domain`,
    ),
    ...(name === undefined ? [] : tooLong("name", askedZone({ name }, clusterDomain))),
    ...(published === undefined ? [] : tooLong("domain", published)),
  ];
}

function tooLong(key: string, serviceZone: string): Problem[] {
  return about(["federation", key]).when(
    serviceZone.length > longestServiceZone,
    `makes names end in ${show(serviceZone)}, ${serviceZone.length} characters; at most ${longestServiceZone}, or Service names would exceed 253`,
  );
}
