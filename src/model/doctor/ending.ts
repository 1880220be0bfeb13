import { jsonPatch } from "../kubernetes/json-patch";
import type { KubernetesObject } from "../kubernetes/object";
import { type Suggestions, about, look, noted, patching } from "./suggestions";

/** What keeps an object that is being deleted. */
export function keepersOf({ metadata: { finalizers = [] } }: KubernetesObject): string[] {
  return finalizers.map((each) => `finalizer ${each} keeps it until ${removerOf(each)} takes that away`);
}

/** What lets it go. */
export function ending(object: KubernetesObject): Suggestions {
  const { finalizers = [] } = object.metadata;
  if (finalizers.length === 0) return look(object);
  const without = finalizers.map((before, i) => ({ path: ["metadata", "finalizers", i], before, after: undefined }));
  return [
    noted(about(object, "get", "-o", "yaml", "--show-managed-fields"), "managedFields has who set each finalizer"),
    "let what takes the finalizers away finish: does it run, and what does its log say?",
    noted(
      patching(object, jsonPatch(object, {}, without)),
      "only if nothing does any more: what it would have cleaned up stays",
    ),
  ];
}

/** Kubernetes' own; of others, its name has the domain (apimachinery's pkg/apis/meta/v1/types.go, cloud-provider). */
function removerOf(finalizer: string): string {
  if (finalizer === "foregroundDeletion" || finalizer === "orphan") return "kube-controller-manager";
  if (finalizer === "service.kubernetes.io/load-balancer-cleanup") return "cloud-controller-manager";
  return `a controller of ${finalizer.split("/")[0]}`;
}
