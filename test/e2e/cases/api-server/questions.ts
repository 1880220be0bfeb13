import { expect } from "vitest";
import type { NamespaceChange } from "../../../../src/model/admission/namespaces";
import { decidePodDns, type DnsPod, type PodDns } from "../../../../src/model/admission/pod-dns";
import type { ObjectChange } from "../../../../src/model/admission/protected-objects";
import { changeRows } from "../../../model/admission/change-table";
import type { ApiAnswer, LocalApiServer } from "../../../../rig/admission/local-api-server";

// Turns the rows of the tables into requests to an API server. All are dry runs: what is on the server stays.

function changedPath({ namespace, resource, name }: ObjectChange): string {
  return `/api/v1/namespaces/${namespace}/${resource}/${name}`;
}

/** The objects that the rows of protected objects change. */
export async function createChangedObjects(api: LocalApiServer): Promise<void> {
  const objects = new Map(changeRows.map(({ change }) => [changedPath(change), change.oldObject]));
  for (const [path, object] of objects) await api.must("POST", path.slice(0, path.lastIndexOf("/")), object ?? {});
}

export function tryChange(api: LocalApiServer, change: ObjectChange, subresource?: "status"): Promise<ApiAnswer> {
  const { operation, object, oldObject, requester } = change;
  const path = `${changedPath(change)}${subresource ? `/${subresource}` : ""}?dryRun=All`;
  const groups = requester.groups?.filter((group) => group !== "system:authenticated");
  const as = { username: requester.username ?? "", groups };
  if (operation === "DELETE") return api.call("DELETE", path, undefined, as);
  // Only the row's content and labels: the server has set more.
  const old = (oldObject ?? {}) as { [key: string]: object };
  const isChanged = ([key, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(old[key]);
  const content = Object.entries(object ?? {}).filter(isChanged);
  return api.call("PATCH", path, Object.fromEntries(content), as, "application/merge-patch+json");
}

export function tryNamespace(
  api: LocalApiServer,
  { operation, name, labels, requester }: NamespaceChange,
  subresource?: "status" | "finalize",
): Promise<ApiAnswer> {
  const as = { username: requester.username ?? "", groups: requester.groups };
  const object = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
  if (operation === "CREATE") return api.call("POST", "/api/v1/namespaces?dryRun=All", object, as);
  const path = `/api/v1/namespaces/${name}${subresource ? `/${subresource}` : ""}`;
  return api.call("PUT", `${path}?dryRun=All`, { ...object, spec: { finalizers: ["kubernetes"] } }, as);
}

/** Recreates a namespace with a row's initial labels; nothing may refuse that in the meantime. */
export async function recreateNamespace(api: LocalApiServer, { name, oldLabels }: NamespaceChange): Promise<void> {
  const { status, body } = await api.call("DELETE", `/api/v1/namespaces/${name}`);
  // No controller does it here.
  if (status < 300) await api.must("PUT", `/api/v1/namespaces/${name}/finalize`, { ...body, spec: { finalizers: [] } });
  await api.must("POST", "/api/v1/namespaces", { metadata: { name, labels: oldLabels } });
}

export function createPod(
  api: LocalApiServer,
  namespace: string,
  pod: DnsPod,
  query = "?dryRun=All",
  name = "pod",
): Promise<ApiAnswer> {
  const isMirror = pod.metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined;
  const containers = [{ name: "c", image: "registry.example/c:1" }];
  const spec = { ...pod.spec, ...(isMirror && { nodeName: "node" }), containers };
  const metadata = { ...pod.metadata, name };
  return api.call("POST", `/api/v1/namespaces/${namespace}/pods${query}`, { metadata, spec });
}

/** The DNS of a created pod. */
export function dnsOf({ body }: ApiAnswer): Pick<DnsPod["spec"], "dnsPolicy" | "dnsConfig"> {
  const { dnsPolicy, dnsConfig } = (body["spec"] ?? {}) as DnsPod["spec"];
  return { dnsPolicy, dnsConfig };
}

/**
 * Compares what the API server makes of a pod with the pure function. `denied` is the status for a pod beyond the
 * limits.
 */
export async function expectAgreement(
  api: LocalApiServer,
  podDns: PodDns,
  namespace: { readonly name: string; readonly labels: { readonly [key: string]: string } },
  pod: DnsPod,
  denied: number,
): Promise<void> {
  const answer = await createPod(api, namespace.name, pod);
  const decision = decidePodDns(pod, podDns, namespace);
  const about = { namespace: namespace.name, pod, message: answer.body.message };
  if (decision.action === "deny") {
    expect({ ...about, status: answer.status }).toEqual({ ...about, status: denied });
  } else if (answer.status === 201) {
    const own = { dnsPolicy: pod.spec.dnsPolicy ?? "ClusterFirst", dnsConfig: pod.spec.dnsConfig };
    const { dnsPolicy = own.dnsPolicy, dnsConfig = own.dnsConfig } = decision.action === "set" ? decision : own;
    const got = dnsOf(answer);
    const expected = { ...about, dnsPolicy, dnsConfig: filled(dnsConfig) };
    expect({ ...about, ...got, dnsConfig: filled(got.dnsConfig) }).toEqual(expected);
  } else {
    // Refused whatever we do: left unchanged as well.
    expect({ ...about, action: decision.action }).toEqual({ ...about, action: "leave" });
  }
}

/** An empty list is not stored. */
function filled(config: object | undefined): object {
  return Object.fromEntries(Object.entries(config ?? {}).filter(([, list]) => Array.isArray(list) && list.length > 0));
}
