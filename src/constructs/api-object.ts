import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { ClusterFacts } from "../model/spec/cluster-facts";

export const namespace = "kube-system";

/** An object as it is applied. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly [field: string]: unknown;
}

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
}

/**
 * Adds an object with the cluster's extra labels and annotations. `ApiObject`, not the generated classes: those drop
 * every field that they do not know.
 */
export function addObject(scope: Construct, facts: ClusterFacts, manifest: Manifest): ApiObject {
  const { kind, metadata } = manifest;
  const object = { ...manifest, metadata: { ...metadata, ...extras(facts, metadata) } };
  return new ApiObject(scope, `${kind}-${metadata.name}`, object);
}

/** Labels and annotations of an object or a pod template: the user's, then ours. */
export function extras(facts: ClusterFacts, own: Pick<Metadata, "labels" | "annotations"> = {}): Pick<Metadata, "labels" | "annotations"> {
  const labels = { ...facts.labels, ...own.labels };
  const annotations = { ...facts.annotations, ...own.annotations };
  return {
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
  };
}
