import { createHash } from "node:crypto";
import { isMapping } from "../syntax/mapping";

/** Ten hexadecimal digits that identify a configuration. */
export function configHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 10);
}

/** Ten hexadecimal digits that identify what is applied, whatever the order of its keys. */
export function contentHash(content: object): string {
  const inOrder = (_key: string, value: unknown) =>
    isMapping(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value;
  return configHash(JSON.stringify(content, inOrder));
}

/**
 * The health port of a cache with this configuration, 20000 to 28191: below NodePorts (30000) and ephemeral ports
 * (32768). Two caches share the node's network during a surge update, and `health` listens with SO_REUSEPORT. On a
 * common port the old pod would answer the new pod's probe, and a cache that answers nothing would replace one that
 * works.
 */
export function healthPort(hash: string): number {
  return 20000 + (Number.parseInt(hash.slice(0, 8), 16) % 8192);
}
