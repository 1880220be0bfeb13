import { setTimeout as sleep } from "node:timers/promises";
import { hasStatus, KubeError, type KubeClient, type KubeObject } from "./client";

interface MirrorOptions<T> {
  readonly path: string;
  readonly keep: (object: KubeObject) => T;
  readonly signal: AbortSignal;
  readonly onError: (error: Error) => void;
  /** Wait after a failure; doubles up to thirty times this. */
  readonly backoffMs?: number;
}

interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: KubeObject & { readonly code?: number; readonly message?: string };
}

/** The server ends a watch after this; then we list again. */
const watchSeconds = 300;
/** Bookmarks arrive about every minute, so a longer silence means a dead connection. */
const idleMs = 150_000;
/** After this long without news, our copy can no longer be trusted. */
const staleMs = 180_000;

/** The current state of a cluster-wide collection of the API, or nothing: no decision may rest on stale data. */
export class Mirror<T> {
  private items = new Map<string, T>();
  private heardAt = -Infinity;

  constructor(
    private readonly client: KubeClient,
    private readonly options: MirrorOptions<T>,
    private readonly now: () => number = Date.now,
  ) {}

  /** Undefined before the first list, and once the API server has been silent for too long. */
  current(): ReadonlyMap<string, T> | undefined {
    return this.now() - this.heardAt <= staleMs ? this.items : undefined;
  }

  async run(): Promise<void> {
    const { signal, onError, backoffMs = 1000 } = this.options;
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.watch(await this.list());
        failures = 0;
        // Do not hammer a server that ends every watch immediately.
        await sleep(backoffMs, undefined, { signal }).catch(() => undefined);
      } catch (error) {
        if (signal.aborted) return;
        // 410: the version we watch from is gone; listing again is enough.
        if (!hasStatus(error, 410)) onError(error as Error);
        const waitMs = Math.min(backoffMs * 2 ** failures++, backoffMs * 30);
        await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private async list(): Promise<string> {
    const items = new Map<string, T>();
    let version = "";
    let next: string | undefined;
    do {
      const query: string = `limit=500${next ? `&continue=${encodeURIComponent(next)}` : ""}`;
      const page: { metadata: { resourceVersion: string; continue?: string }; items: KubeObject[] } =
        await this.client.get(`${this.options.path}?${query}`);
      for (const object of page.items) items.set(object.metadata.name, this.options.keep(object));
      ({ resourceVersion: version, continue: next } = page.metadata);
    } while (next);
    this.items = items;
    this.heardAt = this.now();
    return version;
  }

  private async watch(version: string): Promise<void> {
    const { path, signal, keep } = this.options;
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=${watchSeconds}&resourceVersion=${version}`;
    for await (const { type, object } of this.client.watch<WatchEvent>(`${path}?${query}`, { signal, idleMs })) {
      if (type === "ERROR") throw new KubeError(object.code ?? 0, "WATCH", path, object.message ?? "");
      this.heardAt = this.now();
      if (type === "DELETED") this.items.delete(object.metadata.name);
      else if (type !== "BOOKMARK") this.items.set(object.metadata.name, keep(object));
    }
  }
}
