import { isMapping } from "../syntax/mapping";
import type { Fields, KubernetesObject } from "./object";

/** Whether an object has what is read of its kind, as the API server writes it: nobody else's is certain. */
export function hasShape(object: KubernetesObject): boolean {
  return shapes[object.kind]?.({ ...object }) ?? true;
}

const shapes: { readonly [kind: string]: (object: KubernetesObject & Fields) => boolean } = {
  Node: ({ metadata, spec = {} }) =>
    isLabels(metadata.labels) &&
    isMapping(spec) &&
    typeof (spec["unschedulable"] ?? false) === "boolean" &&
    isListOf(spec["taints"], ({ key, effect }) => isText(key) && isText(effect)),
  Pod: ({ spec }) => hasContainers(spec),
  Service: ({ spec }) => isMapping(spec),
  Deployment: hasTemplate,
  DaemonSet: hasTemplate,
  Event: ({ involvedObject }) => isMapping(involvedObject),
  NetworkPolicy: ({ spec }) => isMapping(spec),
  PodDisruptionBudget: ({ spec }) => isMapping(spec),
  EndpointSlice: ({ endpoints }) => isListOf(endpoints, ({ addresses }) => Array.isArray(addresses)),
  MutatingWebhookConfiguration: hasClients,
  ValidatingWebhookConfiguration: hasClients,
};

function hasTemplate({ spec }: KubernetesObject): boolean {
  return isMapping(spec) && isMapping(spec["template"]) && hasContainers(spec["template"]["spec"]);
}

function hasContainers(spec: unknown): boolean {
  return (
    isMapping(spec) &&
    Array.isArray(spec["containers"]) &&
    isListOf(spec["containers"], ({ image = "" }) => isText(image))
  );
}

function hasClients({ webhooks }: Fields): boolean {
  return isListOf(webhooks, ({ clientConfig }) => isMapping(clientConfig));
}

/** An empty list may be missing. */
function isListOf(value: unknown = [], isItem: (item: Fields) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isMapping(item) && isItem(item));
}

function isLabels(value: unknown = {}): boolean {
  return isMapping(value) && Object.values(value).every(isText);
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}
