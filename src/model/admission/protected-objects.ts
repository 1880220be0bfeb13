import { some } from "../syntax/some";

/** The user who makes a request (authentication.k8s.io/v1 UserInfo). */
export interface Requester {
  readonly username?: string;
  readonly groups?: readonly string[];
}

/** Users and groups that may change protected objects. */
export interface AllowedRequesters {
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

/** Objects by name in one namespace: exact names, or all that begin with a prefix. */
export interface ProtectedNames {
  readonly resource: "configmaps" | "services";
  readonly names: readonly string[];
  readonly prefixes: readonly string[];
}

export interface ProtectedObjects {
  readonly namespace: string;
  readonly objects: readonly ProtectedNames[];
  readonly allowed: AllowedRequesters;
}

export interface ObjectChange {
  readonly operation: "UPDATE" | "DELETE";
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly requester: Requester;
  readonly object?: { readonly [field: string]: unknown } | null;
  readonly oldObject?: { readonly [field: string]: unknown } | null;
}

/** Fields, and labels and annotations with a prefix. Everything else stays free: controllers write it. */
interface Content {
  readonly fields: readonly string[];
  readonly prefixes: readonly string[];
}

export const contentOf: { readonly [resource in ProtectedNames["resource"]]: Content } = {
  configmaps: { fields: ["data", "binaryData", "immutable"], prefixes: [] },
  // With `service.kubernetes.io/service-proxy-name`, kube-proxy ignores a Service; `topology-mode` selects its
  // endpoints, and with Cilium `global` and `affinity` add those of other clusters.
  services: { fields: ["spec"], prefixes: ["service.kubernetes.io/", "service.cilium.io/", "io.cilium/"] },
};

/** Undefined if it is not. Objects are identified by name: whoever changes one can change its labels too. */
export function refuseChange(
  change: ObjectChange,
  { namespace, objects, allowed }: ProtectedObjects,
): string | undefined {
  const { resource, name, operation, requester } = change;
  const rule =
    change.namespace === namespace ? objects.find((one) => one.resource === resource && covers(one, name)) : undefined;
  if (rule === undefined || isAllowed(requester, allowed)) return undefined;
  const { fields, prefixes } = contentOf[rule.resource];
  const changed =
    operation === "DELETE" ||
    fields.some((field) => !same(change.object?.[field], change.oldObject?.[field])) ||
    !same(metadataContent(change.object, prefixes), metadataContent(change.oldObject, prefixes));
  return changed ? refusal(change, allowed) : undefined;
}

/** Labels and annotations that count as content. */
function metadataContent(object: ObjectChange["object"], prefixes: readonly string[]): unknown[] {
  const metadata = object?.["metadata"] as { labels?: object; annotations?: object } | undefined;
  return [metadata?.labels, metadata?.annotations].map((all) =>
    Object.fromEntries(Object.entries(all ?? {}).filter(([key]) => prefixes.some((prefix) => key.startsWith(prefix)))),
  );
}

function covers({ names, prefixes }: ProtectedNames, name: string): boolean {
  return names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

export function isAllowed({ username = "", groups = [] }: Requester, allowed: AllowedRequesters): boolean {
  return allowed.users.includes(username) || groups.some((group) => allowed.groups.includes(group));
}

function refusal(
  { operation, resource, namespace, name, requester }: ObjectChange,
  allowed: AllowedRequesters,
): string {
  const what = `${operation} of ${resource} ${namespace}/${name} by ${requester.username ?? "an unknown user"}`;
  return what + endOfRefusal(allowed);
}

/** The policy uses the same. */
export function endOfRefusal(allowed: AllowedRequesters): string {
  return ` is refused: the cluster's DNS depends on it. Allowed: ${some(inWords(allowed))}. Change the cluster file and let your GitOps controller apply it, or add the user to admission.allowedUsers.`;
}

export function inWords({ users, groups }: AllowedRequesters): string[] {
  return [...users, ...groups.map((group) => `group ${group}`)];
}

/** Equal as JSON; a missing field differs from an empty one. */
function same(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null)
    return (a ?? undefined) === (b ?? undefined);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a, b] as { [key: string]: unknown }[];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return keys.every((key) => same(left?.[key], right?.[key]));
}
