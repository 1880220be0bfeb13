import http from "node:http";
import type { AddressInfo } from "node:net";

// The part of the Kubernetes API that CoreDNS's `kubernetes` plugin uses: list and watch, over plain HTTP on loopback.

export interface FakeObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: { readonly [key: string]: string };
  };
  readonly [field: string]: unknown;
}

export type Resource = "namespaces" | "services" | "endpointslices" | "pods" | "serviceimports";

const resources: {
  readonly [resource in Resource]: { readonly path: string; readonly apiVersion: string; readonly kind: string };
} = {
  namespaces: { path: "/api/v1/namespaces", apiVersion: "v1", kind: "Namespace" },
  services: { path: "/api/v1/services", apiVersion: "v1", kind: "Service" },
  pods: { path: "/api/v1/pods", apiVersion: "v1", kind: "Pod" },
  endpointslices: {
    path: "/apis/discovery.k8s.io/v1/endpointslices",
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
  },
  serviceimports: {
    path: "/apis/multicluster.x-k8s.io/v1alpha1/serviceimports",
    apiVersion: "multicluster.x-k8s.io/v1alpha1",
    kind: "ServiceImport",
  },
};

interface Watcher {
  readonly resource: Resource;
  readonly selector: string | null;
  readonly response: http.ServerResponse;
  readonly send: (type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK", object: object) => void;
}

/** An API server that knows only the objects it is given. */
export class FakeApi {
  private readonly objects = new Map<Resource, Map<string, FakeObject>>();
  private readonly watchers = new Set<Watcher>();
  private readonly server = http.createServer((request, response) => this.answer(request, response));
  /** `overloaded`: it answers that it has no time; `away`: it is not there. */
  private state: "up" | "overloaded" | "away" = "up";
  private version = 1;
  private oldestVersion = 0;

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** What happens to all requests from now on; those under way end. */
  become(state: "up" | "overloaded" | "away"): void {
    this.state = state;
    this.server.closeAllConnections();
    this.watchers.clear();
  }

  /** Number of open watches: what a CoreDNS costs an API server. */
  get watches(): number {
    return this.watchers.size;
  }

  /** As after a restart: watches end, and clients have to list all objects again. */
  forgetWatches(): void {
    this.version += 1;
    this.oldestVersion = this.version;
    for (const { response } of this.watchers) response.end();
    this.watchers.clear();
  }

  /** Creates or changes an object. */
  put(resource: Resource, object: FakeObject): void {
    const known = this.of(resource);
    const before = known.get(key(object));
    const now = this.stamped(resource, object);
    known.set(key(object), now);
    this.tell(resource, before, now);
  }

  remove(resource: Resource, name: string, namespace?: string): void {
    const id = key({ metadata: { name, ...(namespace === undefined ? {} : { namespace }) } });
    const before = this.of(resource).get(id);
    this.of(resource).delete(id);
    if (before) this.tell(resource, this.stamped(resource, before), undefined);
  }

  private of(resource: Resource): Map<string, FakeObject> {
    const known = this.objects.get(resource) ?? new Map<string, FakeObject>();
    this.objects.set(resource, known);
    return known;
  }

  private stamped(resource: Resource, object: FakeObject): FakeObject {
    const { apiVersion, kind } = resources[resource];
    this.version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.version) };
    return { apiVersion, kind, ...object, metadata };
  }

  // A watch receives DELETED for an object that no longer matches its selector, as from a real API server.
  private tell(resource: Resource, before: FakeObject | undefined, now: FakeObject | undefined): void {
    for (const watcher of this.watchers) {
      if (watcher.resource !== resource) continue;
      const was = before !== undefined && selected(before, watcher.selector);
      const is = now !== undefined && selected(now, watcher.selector);
      if (now && is) watcher.send(was ? "MODIFIED" : "ADDED", now);
      else if (was) watcher.send("DELETED", now ?? before);
    }
  }

  private answer(request: http.IncomingMessage, response: http.ServerResponse): void {
    if (this.state === "away") return void request.socket.destroy();
    if (this.state === "overloaded") {
      // As API Priority and Fairness does with a request that no queue has room for.
      response.writeHead(429, { "retry-after": "1" }).end();
      return;
    }
    const url = new URL(request.url ?? "/", "http://fake");
    const resource = (Object.keys(resources) as Resource[]).find((name) => resources[name].path === url.pathname);
    if (!resource) {
      response.writeHead(404, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 }),
      );
      return;
    }
    response.writeHead(200, { "content-type": "application/json" });
    const { apiVersion, kind } = resources[resource];
    const selector = url.searchParams.get("labelSelector");
    const items = [...this.of(resource).values()].filter((object) => selected(object, selector));
    const startsWithAll = url.searchParams.get("sendInitialEvents") === "true";
    if (url.searchParams.get("watch") === null) {
      const metadata = { resourceVersion: String(this.version) };
      response.end(JSON.stringify({ apiVersion, kind: `${kind}List`, metadata, items }));
      return;
    }
    if (!startsWithAll && Number(url.searchParams.get("resourceVersion")) < this.oldestVersion) {
      const object = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Expired", code: 410 };
      response.end(`${JSON.stringify({ type: "ERROR", object })}\n`);
      return;
    }
    const send: Watcher["send"] = (type, object) => response.write(`${JSON.stringify({ type, object })}\n`);
    if (startsWithAll) {
      for (const item of items) send("ADDED", item);
      const metadata = { resourceVersion: String(this.version), annotations: { "k8s.io/initial-events-end": "true" } };
      send("BOOKMARK", { apiVersion, kind, metadata });
    }
    const watcher = { resource, selector, response, send };
    this.watchers.add(watcher);
    response.on("close", () => this.watchers.delete(watcher));
    response.flushHeaders();
  }
}

function key({ metadata }: FakeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

/** Supports only the selector forms in use, `key=value` and `key notin (value,value)`. */
function selected({ metadata }: FakeObject, selector: string | null): boolean {
  if (!selector) return true;
  return selector.split(/,(?![^(]*\))/).every((requirement) => {
    const [, absent = "", values = ""] = /^(\S+) notin \((.*)\)$/.exec(requirement) ?? [];
    if (absent !== "") return !values.split(",").includes(metadata.labels?.[absent] ?? "");
    const [label = "", value] = requirement.split("=");
    return metadata.labels?.[label] === value;
  });
}
