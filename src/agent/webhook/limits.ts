import { webhookPaths } from "../../model/admission/webhook/webhook-config";

/** Longer reviews are parsed by a thread of their own: here each would keep everybody waiting for more than a few milliseconds. */
export const shortBytes = 128 * 1024;

/** Nothing in etcd is larger than 1.5 MiB. The JSON of a review can be, but seldom is. */
const longestBytes = 3 * 1024 * 1024;

interface Limits {
  /** Of a review. */
  readonly maxBytes: number;
  /** Whether a longer review is refused. Otherwise it gets no answer, and passes. */
  readonly guards: boolean;
}

export function limitsOf(path: string): Limits {
  return {
    // Only the main thread knows the nodes.
    maxBytes: path === webhookPaths.placement ? shortBytes : longestBytes,
    guards: path === webhookPaths.namespaces || path === webhookPaths.protectedObjects,
  };
}
