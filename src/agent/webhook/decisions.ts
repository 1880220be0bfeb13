import { refuseNamespace, ownLabel } from "../../model/admission/namespaces";
import { refusePlacement, type GuardedWorkload } from "../../model/admission/placement-guard";
import { decidePodDns, type DnsPod } from "../../model/admission/pod-dns";
import { refuseChange } from "../../model/admission/protected-objects";
import { tenantDns } from "../../model/admission/tenant-dns";
import type { PodDnsRules } from "../../model/tenancy/pod-dns-config";
import { podPath, webhookPaths, type WebhookConfig } from "../../model/admission/webhook/webhook-config";
import type { Node } from "../../model/placement/node";
import { BadReview, isRecord, type AdmissionRequest, type PatchOperation, type Verdict } from "./review";
import type { Decide } from "./server";

/** What is decided at which path. `nodes` gives those that are known now, or undefined. */
export function decisions(
  config: WebhookConfig,
  nodes: () => readonly Node[] | undefined,
): { readonly [path: string]: Decide } {
  const { tenancy, pods, namespaces, protectedObjects, placementGuard } = config;
  return {
    ...(tenancy && pods ? podDecisions({ tenancy, ...pods }) : {}),
    ...(tenancy && namespaces
      ? {
          [webhookPaths.namespaces]: (request) => {
            const object = objectOf(request, "Namespace");
            const old = metadataOf(request.oldObject);
            const { name, labels } = metadataOf(object);
            const operation = request.operation === "CREATE" ? "CREATE" : "UPDATE";
            return verdict(
              refuseNamespace(
                { operation, name, labels, oldLabels: old.labels, requester: request.userInfo ?? {} },
                tenancy,
                namespaces.allowed,
              ),
            );
          },
        }
      : {}),
    ...(protectedObjects
      ? {
          [webhookPaths.protectedObjects]: (request) => {
            const old = record(request.oldObject, "oldObject");
            const change = {
              operation: request.operation === "DELETE" ? "DELETE" : "UPDATE",
              resource: request.resource.resource,
              namespace: request.namespace ?? "",
              // The request's own name is empty when a whole collection is deleted.
              name: metadataOf(old).name,
              requester: request.userInfo ?? {},
              object: isRecord(request.object) ? request.object : null,
              oldObject: old,
            } as const;
            return verdict(refuseChange(change, protectedObjects));
          },
        }
      : {}),
    ...(placementGuard
      ? {
          [webhookPaths.placement]: (request) => {
            const { kind } = request.kind;
            if (kind !== "Deployment" && kind !== "DaemonSet")
              throw new BadReview(`got a ${kind}; accepted: Deployment, DaemonSet`);
            const object = objectOf(request, kind);
            const { name } = metadataOf(object);
            if (request.namespace !== placementGuard.namespace || !placementGuard.names.includes(name))
              return { allowed: true };
            const old = isRecord(request.oldObject) ? (request.oldObject as GuardedWorkload) : undefined;
            return verdict(refusePlacement(kind, name, object as GuardedWorkload, old, nodes()));
          },
        }
      : {}),
  };
}

function podDecisions(rules: PodDnsRules): { [path: string]: Decide } {
  const { tenancy } = rules;
  const label = ownLabel(tenancy);
  const byLabel =
    label === undefined
      ? []
      : tenancy.tenants.map(({ name }) => [podPath(name), decidePod(rules, { [label]: name })] as const);
  return Object.fromEntries([[podPath(), decidePod(rules, {})], ...byLabel]);
}

function decidePod(rules: PodDnsRules, labels: { readonly [key: string]: string }): Decide {
  return (request) => {
    const pod = objectOf(request, "Pod");
    const spec = record(pod["spec"], "object.spec");
    const wanted = tenantDns(rules, { name: request.namespace ?? "", labels });
    if (!wanted) return { allowed: true };
    const decision = decidePodDns(pod as unknown as DnsPod, wanted);
    if (decision.action === "leave") return { allowed: true };
    if (decision.action === "deny") return { allowed: false, message: decision.message };
    const patch: PatchOperation[] = [
      ...(spec["dnsPolicy"] === "None" ? [] : [{ op: "add", path: "/spec/dnsPolicy", value: "None" } as const]),
      { op: "add", path: "/spec/dnsConfig", value: decision.dnsConfig },
    ];
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
  if (!isRecord(value)) throw new BadReview(`request.${what} is missing or no object`);
  return value;
}

function metadataOf(object: unknown): { name: string; labels: { [key: string]: string } } {
  const metadata = isRecord(object) && isRecord(object["metadata"]) ? object["metadata"] : {};
  const labels = isRecord(metadata["labels"]) ? metadata["labels"] : {};
  return { name: String(metadata["name"] ?? ""), labels: labels as { [key: string]: string } };
}
