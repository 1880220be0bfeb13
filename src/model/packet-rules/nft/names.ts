import type { Family } from "../../syntax/addresses";
import { listenerName, type Listener } from "../listener";
import type { SignOfCache } from "./types";

/** The table that holds all our rules. */
export const tableName = "node-local-dns";

export const counters = {
  requests: (listener: Listener) => `requests-${listenerName(listener)}`,
  replies: (listener: Listener) => `replies-${listenerName(listener)}`,
  /** Queries to a link-local address that went past the cache. */
  past: (listener: Listener) => `past-${listenerName(listener)}`,
  /** Queries of pods that sent more than they may. */
  limited: (listener: Listener) => `limited-${listenerName(listener)}`,
  /** Queries that went past a cache that was silent. */
  silent: (listener: Listener) => `silent-${listenerName(listener)}`,
} as const;

/** The set of the families in which a watchdog has shown itself lately. */
export const watchedSet = "watched";

/** A set holds addresses of one family: `pods4`, `pods6`. */
export function setName(
  set: "pods" | "host" | "connections" | "asked" | "answered" | "rates" | "limited" | SignOfCache,
  family: Family | undefined,
): string {
  return `${set}${family === "IPv6" ? 6 : 4}`;
}
