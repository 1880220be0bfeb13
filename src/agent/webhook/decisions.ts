import { ownLabel, refuseNamespace } from "../../model/admission/namespaces";
import { refusePlacement, type GuardedWorkload } from "../../model/admission/placement-guard";
import { decidePodDns, podDnsOf, type DnsPod, type PodDns } from "../../model/admission/pod-dns";
import { refuseChange } from "../../model/admission/protected-objects";
import { podPath, webhookPaths, type WebhookConfig } from "../../model/admission/webhook/webhook-config";
import type { Node } from "../../model/placement/node";
import { isMapping } from "../../model/syntax/mapping";
import { BadReview, type AdmissionRequest, type Decide, type PatchOperation, type Verdict } from "./review";

export interface Decisions {
  readonly [path: string]: Decide;
}

/** `nodes` returns the nodes that are known now, or undefined. */
export function decisions(
  { tenancy, pods, podOptions, namespaces, protectedObjects, placementGuard }: WebhookConfig,
  nodes: () => readonly Node[] | undefined,
): Decisions {
  const decide: { [path: string]: Decide } = {};

  const podDns = podDnsOf(tenancy && pods && { tenancy, ...pods }, podOptions);
  if (podDns) {
    decide[podPath()] = decidePod(podDns, {});
    const label = tenancy && ownLabel(tenancy);
    if (label !== undefined)
      for (const { name } of tenancy?.tenants ?? []) decide[podPath(name)] = decidePod(podDns, { [label]: name });
  }

  if (tenancy && namespaces)
    decide[webhookPaths.namespaces] = (request) => {
      const { name, labels } = metadataOf(objectOf(request, "Namespace"));
      const { labels: oldLabels } = metadataOf(request.oldObject);
      const operation = request.operation === "CREATE" ? "CREATE" : "UPDATE";
      const change = { operation, name, labels, oldLabels, requester: request.userInfo ?? {} } as const;
      return verdict(refuseNamespace(change, tenancy, namespaces.allowed));
    };

  if (protectedObjects)
    decide[webhookPaths.protectedObjects] = (request) => {
      const oldObject = record(request.oldObject, "oldObject");
      const change = {
        operation: request.operation === "DELETE" ? "DELETE" : "UPDATE",
        resource: request.resource.resource,
        namespace: request.namespace ?? "",
        // The request's own name is empty if a whole collection is deleted.
        name: metadataOf(oldObject).name,
        requester: request.userInfo ?? {},
        object: isMapping(request.object) ? request.object : null,
        oldObject,
      } as const;
      return verdict(refuseChange(change, protectedObjects));
    };

  if (placementGuard)
    decide[webhookPaths.placement] = (request) => {
      const { kind } = request.kind;
      if (kind !== "Deployment" && kind !== "DaemonSet")
        throw new BadReview(`got a ${kind}; accepted: Deployment, DaemonSet`);
      const object = objectOf(request, kind);
      const { name } = metadataOf(object);
      if (request.namespace !== placementGuard.namespace || !placementGuard.names.includes(name))
        return { allowed: true };
      const old = isMapping(request.oldObject) ? (request.oldObject as GuardedWorkload) : undefined;
      return verdict(refusePlacement(kind, name, object as GuardedWorkload, old, nodes()));
    };

  return decide;
}

function decidePod(podDns: PodDns, labels: { readonly [key: string]: string }): Decide {
  return (request) => {
    const pod = objectOf(request, "Pod");
    const spec = record(pod["spec"], "object.spec");
    const decision = decidePodDns(pod as unknown as DnsPod, podDns, { name: request.namespace ?? "", labels });
    if (decision.action === "leave") return { allowed: true };
    if (decision.action === "deny") return { allowed: false, message: decision.message };
    const patch: PatchOperation[] = [{ op: "add", path: "/spec/dnsConfig", value: decision.dnsConfig }];
    const { dnsPolicy = spec["dnsPolicy"] } = decision;
    if (spec["dnsPolicy"] !== dnsPolicy) patch.unshift({ op: "add", path: "/spec/dnsPolicy", value: dnsPolicy });
    return { allowed: true, patch, warnings: decision.warnings };
  };
}

function verdict(refusal: string | undefined): Verdict {
  return refusal === undefined ? { allowed: true } : { allowed: false, message: refusal };
}

function objectOf({ kind, object }: AdmissionRequest, expected: string): { readonly [key: string]: unknown } {
  if (kind.kind !== expected) throw new BadReview(`got a ${kind.kind}; accepted at this path: ${expected}`);
  return record(object, "object");
}

function record(value: unknown, what: string): { readonly [key: string]: unknown } {
  if (!isMapping(value)) throw new BadReview(`request.${what} is missing or no object`);
  return value;
}

function metadataOf(object: unknown): { name: string; labels: { [key: string]: string } } {
  const metadata = isMapping(object) && isMapping(object["metadata"]) ? object["metadata"] : {};
  const labels = isMapping(metadata["labels"]) ? metadata["labels"] : {};
  return { name: String(metadata["name"] ?? ""), labels: labels as { [key: string]: string } };
}
