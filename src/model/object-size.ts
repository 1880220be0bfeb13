import type { KubernetesObject } from "./kubernetes/object";

/** The maximum size of a ConfigMap (core/v1 MaxSecretSize). For other objects, etcd's limit is half as much again. */
const maxBytes = 1024 * 1024;

/** If an object is larger than the API server accepts, the end of a message about it; else undefined. */
export function tooLarge(object: KubernetesObject): string | undefined {
  const bytes = bytesOf(object);
  return bytes > maxBytes
    ? `${object.kind} ${object.metadata.name} too large, ${bytes} bytes; the API server accepts ${maxBytes}`
    : undefined;
}

/** All text of an object as stored, without JSON or YAML syntax. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, child]) => sum + (Array.isArray(value) ? 0 : Buffer.byteLength(key)) + bytesOf(child),
    0,
  );
}
