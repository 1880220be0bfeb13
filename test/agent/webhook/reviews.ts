import type { WebhookConfig } from "../../../src/model/admission/webhook/webhook-config";
import { tenancyOf } from "../../../src/model/tenancy/membership";
import { allowed } from "../../model/admission/namespace-table";
import { protection } from "../../model/admission/change-table";

/** Everything that the webhook can do, except for the placement guard. */
export const everything: Partial<WebhookConfig> = {
  tenancy: tenancyOf({ tenants: [{ name: "baz", namespaces: ["bar"] }] }),
  pods: { clusterDomain: "cluster.local", nameservers: ["10.96.0.10"] },
  namespaces: { allowed },
  protectedObjects: protection,
};

export function review(kind: string, request: object): object {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "uid-1",
      operation: "CREATE",
      kind: { group: "", version: "v1", kind },
      resource: { resource: `${kind.toLowerCase()}s` },
      ...request,
    },
  };
}

export function podReview(pod: object = { spec: {} }, namespace = "bar"): object {
  return review("Pod", { namespace, object: { apiVersion: "v1", kind: "Pod", metadata: {}, ...pod } });
}

interface Answer {
  readonly uid: string;
  readonly allowed: boolean;
  readonly warnings?: readonly string[];
  readonly status?: { readonly message: string };
  readonly patch?: string;
  readonly patchType?: string;
}

/** The answer, with a readable patch. */
export function response(text: string) {
  const { status, patch, patchType: _, ...rest } = (JSON.parse(text) as { response: Answer }).response;
  const decoded = (text64: string) => ({ patch: JSON.parse(Buffer.from(text64, "base64").toString()) as unknown });
  return { ...rest, ...(status && { message: status.message }), ...(patch === undefined ? {} : decoded(patch)) };
}
