/** Who asks (authentication.k8s.io/v1 UserInfo). */
export interface Requester {
  readonly username?: string;
  readonly groups?: readonly string[];
}

/** Those who may change what is protected. */
export interface AllowedRequesters {
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

/** Objects by name in one namespace: exactly one name, or all that begin with a prefix. */
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

/** The fields that are the object's content. Labels and annotations stay free: controllers of the cluster write them. */
export const contentFields: { readonly [resource in ProtectedNames["resource"]]: readonly string[] } = {
  configmaps: ["data", "binaryData", "immutable"],
  services: ["spec"],
};

/** Why a change is refused, or undefined. By name and never by label, which whoever changes the object can change too. */
export function refuseChange(
  change: ObjectChange,
  { namespace, objects, allowed }: ProtectedObjects,
): string | undefined {
  const { resource, name, operation, requester } = change;
  const rule =
    change.namespace === namespace ? objects.find((one) => one.resource === resource && covers(one, name)) : undefined;
  if (rule === undefined || isAllowed(requester, allowed)) return undefined;
  const changed =
    operation === "DELETE" ||
    contentFields[rule.resource].some((field) => !same(change.object?.[field], change.oldObject?.[field]));
  return changed ? refusal(change, allowed) : undefined;
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
  const what = `${operation} of ${resource} ${namespace}/${name} by ${requester.username ?? "somebody unknown"}`;
  return `${what} is refused: the cluster's DNS depends on it. ${whoMay(allowed)} Change the cluster file and let your GitOps controller apply it, or add the user to admission.allowedUsers.`;
}

/** The sentence about those who are allowed; the policy says the same. */
export function whoMay({ users, groups }: AllowedRequesters): string {
  const all = [...users, ...groups.map((group) => `group ${group}`)];
  return `Allowed: ${all.slice(0, 5).join(", ")}${all.length > 5 ? ` and ${all.length - 5} more` : ""}.`;
}

/** Equal as JSON; a field that is not there is not an empty one. */
function same(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null)
    return (a ?? undefined) === (b ?? undefined);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a, b] as { [key: string]: unknown }[];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return keys.every((key) => same(left?.[key], right?.[key]));
}
