import type { Node, Pod } from "../model/kubernetes/kinds";
import type { KubernetesObject } from "../model/kubernetes/object";

// Of nodes and pods, a cluster has thousands: what nobody here reads of them takes ten times as much memory as the rest.

/** Without the images that it has. */
export function abridgedNode({ metadata, status, ...node }: Node): Node {
  const { images: _images, ...kept } = (status ?? {}) as { readonly images?: unknown };
  return {
    ...node,
    metadata: withoutManagers(metadata),
    ...(status && { status: kept as NonNullable<Node["status"]> }),
  };
}

/** One that is not of the cluster's DNS: which DNS it has, and where. */
export function abridgedPod({ metadata, spec, status, ...pod }: Pod): Pod {
  const { name, namespace, labels, deletionTimestamp } = metadata;
  const { nodeName, hostNetwork, dnsPolicy, dnsConfig, containers } = spec;
  return {
    ...pod,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(labels && { labels }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec: {
      ...(nodeName !== undefined && { nodeName }),
      ...(hostNetwork !== undefined && { hostNetwork }),
      ...(dnsPolicy !== undefined && { dnsPolicy }),
      ...(dnsConfig && { dnsConfig }),
      containers: containers.map(({ name: container, image }) => ({
        name: container,
        ...(image !== undefined && { image }),
      })),
    },
    ...(status && { status: status.phase === undefined ? {} : { phase: status.phase } }),
  };
}

function withoutManagers({ managedFields: _managedFields, ...metadata }: KubernetesObject["metadata"]) {
  return metadata;
}
