import { mirrorAnnotation, optInAnnotation } from "../model/admission/pod-dns";
import type { Node, Pod } from "../model/kubernetes/kinds";

// Of nodes and pods, a cluster has thousands: what nobody here reads of them takes twenty times as much memory as the rest.

/** Without the images that it has. */
export function abridgedNode({ status, ...node }: Node): Node {
  const { images: _images, ...kept } = (status ?? {}) as { readonly images?: unknown };
  return { ...node, ...(status && { status: kept as NonNullable<Node["status"]> }) };
}

/** Without the identifiers of its containers and of itself. */
export function abridgedPod({ metadata, status, ...pod }: Pod): Pod {
  const { initContainerStatuses = [], containerStatuses = [] } = status ?? {};
  const [ofInit, ofOthers] = [initContainerStatuses, containerStatuses].map((all) =>
    all.map((each) => only(each, "name", "ready", "restartCount", "state", "lastState")),
  );
  return {
    ...pod,
    metadata: only(metadata, ...ofMetadata, "labels", "annotations", "creationTimestamp", "ownerReferences"),
    ...(status && {
      status: {
        ...only(status, "phase", "reason", "message", "podIP", "podIPs", "conditions"),
        ...(ofInit?.[0] && { initContainerStatuses: ofInit }),
        ...(ofOthers?.[0] && { containerStatuses: ofOthers }),
      },
    }),
  };
}

/** Which DNS a pod has that is not of the cluster's, and where. */
export function dnsOf({ metadata, spec, status, ...pod }: Pod): Pod {
  const annotations = only(metadata.annotations ?? {}, mirrorAnnotation, optInAnnotation);
  return {
    ...pod,
    metadata: { ...only(metadata, ...ofMetadata), ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: {
      ...only(spec, "nodeName", "hostNetwork", "dnsPolicy", "dnsConfig", "os", "nodeSelector"),
      containers: spec.containers.map((each) => only(each, "name", "image")),
    },
    ...(status && { status: only(status, "phase") }),
  };
}

const ofMetadata = ["name", "namespace", "deletionTimestamp", "finalizers"] as const;

function only<T extends object, Key extends keyof T>(value: T, ...keys: readonly Key[]): Pick<T, Key> {
  return Object.fromEntries(keys.flatMap((key) => (key in value ? [[key, value[key]]] : []))) as Pick<T, Key>;
}
