import { inForceIn } from "../../../src/model/changes/in-force-in";
import type { Applied } from "../../../src/model/changes/pruning";
import type { KubernetesObject } from "../../../src/model/kubernetes/object";

/** Objects, and what they show to be in force. */
export function applied(objects: readonly KubernetesObject[]): Applied {
  return { objects, inForce: inForceIn(objects) };
}
