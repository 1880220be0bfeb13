import { webhookPaths } from "../../model/admission/webhook/webhook-config";

/** Longer reviews are parsed in a separate thread: here, each would block everyone for more than a few milliseconds. */
export const shortBytes = 128 * 1024;

/** No object in etcd is larger than 1.5 MiB. A review's JSON can be larger, but rarely is. */
const longestBytes = 3 * 1024 * 1024;

/** Several times what a pod's DNS configuration needs: the kernel takes it, so nobody can make us keep it. */
export const longestAnswer = 32 * 1024;

/** Characters of a refusal, each of at most six bytes in JSON: so many always fit into an answer. */
export const longestRefusal = 4000;

interface Limits {
  readonly maxBytes: number;
  /** Whether a longer review is denied. If not, it gets no answer, and the request passes. */
  readonly guards: boolean;
}

export function limitsOf(path: string): Limits {
  return {
    // Only the main thread knows the nodes.
    maxBytes: path === webhookPaths.placement ? shortBytes : longestBytes,
    guards: path === webhookPaths.namespaces || path === webhookPaths.protectedObjects,
  };
}
