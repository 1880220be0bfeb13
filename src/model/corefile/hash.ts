import { createHash } from "node:crypto";
import { isMapping } from "../syntax/mapping";

/** Ten hexadecimal digits that identify a configuration. */
export function configHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 10);
}

/** Ten hexadecimal digits that identify what is applied, whatever the order of its keys. */
export function contentHash(content: object): string {
  return configHash(JSON.stringify(sortKeys(content)));
}

/** Without a prototype: a key may be `__proto__`. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isMapping(value)) return value;
  const sorted = Object.create(null) as { [key: string]: unknown };
  for (const key of Object.keys(value).sort()) sorted[key] = sortKeys(value[key]);
  return sorted;
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
