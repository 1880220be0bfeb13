import { isDNSLabel } from "../syntax/names";
import { some } from "../syntax/some";
import { tenantNames, type Tenancy, isClusterNamespace, isReservedName } from "../tenancy/membership";
import { inWords, isAllowed, type AllowedRequesters, type Requester } from "./protected-objects";

export interface NamespaceChange {
  readonly operation: "CREATE" | "UPDATE";
  readonly name: string;
  readonly labels: { readonly [key: string]: string };
  /** Before an UPDATE. */
  readonly oldLabels?: { readonly [key: string]: string };
  readonly requester: Requester;
}

export function refuseNamespace(
  change: NamespaceChange,
  tenancy: Tenancy,
  allowed: AllowedRequesters,
): string | undefined {
  const texts = namespaceTexts(tenancy, allowed);
  const { operation, name, labels, oldLabels = {}, requester } = change;
  if (operation === "CREATE" && tenantNames(tenancy).includes(name)) return `namespace ${name}${texts.namedLikeTenant}`;
  const label = ownLabel(tenancy);
  if (label === undefined) return undefined;

  const [value, old] = [labels[label], operation === "UPDATE" ? oldLabels[label] : undefined];
  if (value === old) return undefined;
  const got = (reason: string) => `namespace ${name}: label ${label}: ${JSON.stringify(value ?? "")}${reason}`;
  if (value !== undefined) {
    if (isClusterNamespace(name)) return got(texts.clusterNamespace);
    if (!isDNSLabel(value)) return got(texts.notALabel);
    if (isReservedName(value)) return got(texts.reserved);
    if (!tenancy.tenants.some((tenant) => tenant.name === value)) return got(texts.unknown);
  }
  return old !== undefined && !isAllowed(requester, allowed)
    ? got(`${texts.changed[0]}${JSON.stringify(old)}${texts.changed[1]}`)
    : undefined;
}

export function ownLabel({ membership, namespaceLabel }: Tenancy): string | undefined {
  return membership === "label" ? namespaceLabel : undefined;
}

/** How denials end, after the value in question; policy and webhook use the same texts. */
export function namespaceTexts({ tenants }: Tenancy, allowed: AllowedRequesters) {
  const names = tenants.map(({ name }) => name);
  const all = some(names, 10);
  const who = inWords(allowed).slice(0, 5).join(", ");
  return {
    namedLikeTenant:
      " is refused: a tenant has this name, and names below it would answer for both. Choose another name, or rename the tenant in the cluster file.",
    clusterNamespace:
      " is refused: the cluster's own namespaces belong to no tenant. Remove the label; the system tenant is named in the cluster file.",
    notALabel:
      " is not an RFC 1123 label (lower case letters, digits and -, at most 63, a letter or digit first and last), and the tenant is part of DNS names. Correct it.",
    reserved:
      " is reserved: svc, pod, all, default, kube and kube-* mean something else in DNS names. Choose another tenant name.",
    unknown: ` is not a tenant of this cluster. Allowed: ${all}. Add the tenant to the cluster file first.`,
    changed: [
      " replaces ",
      `: a namespace keeps its tenant, because its pods use that tenant's names. Allowed for: ${who || "nobody"}. Create a new namespace instead.`,
    ],
  } as const;
}
