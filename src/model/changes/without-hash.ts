import { identity, type KubernetesObject } from "../kubernetes/object";

/** An object's identity, for configurations without the hash with which their name ends. */
export function withoutHash(object: KubernetesObject): string {
  return identity(object).replace(/-[0-9a-f]{10}$/, "");
}
