import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { JsonPatch } from "cdk8s";
import type { KubeConnection, KubeObject } from "../../../src/agent/kube/client";
import { issue } from "../../../src/agent/webhook/certificates/issue";

interface Stored {
  [key: string]: unknown;
  metadata: { name: string; resourceVersion: string; [key: string]: unknown };
}

/**
 * The part of the Kubernetes API that our programs use: objects by path, resourceVersions, lists, watches and JSON
 * patches.
 */
export class FakeApiServer {
  /** `GET /api/v1/nodes`, `WATCH /api/v1/nodes`, in order of arrival. */
  readonly calls: string[] = [];
  /** While set, answers every request with this status. */
  failWith: number | undefined;
  /** Its clock; the right time by default. */
  date: Date | undefined;
  /** Called before a write is examined: the moment for another replica to be faster. */
  beforeWrite: (() => void) | undefined;
  private readonly objects = new Map<string, Stored>();
  private readonly watchers = new Set<{ path: string; response: ServerResponse }>();
  private version = 100;

  private constructor(
    private readonly server: Server,
    private readonly authority: string,
  ) {}

  static async start(): Promise<FakeApiServer> {
    const { authority, certificate, key } = await issue(["localhost"], new Date());
    const server = createServer({ cert: certificate, key });
    const fake = new FakeApiServer(server, authority);
    server.on("request", (request, response) => void fake.handle(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return fake;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get connection(): KubeConnection {
    return { host: "localhost", port: this.port, ca: this.authority, token: () => "token-of-the-test" };
  }

  async stop(): Promise<void> {
    for (const { response } of this.watchers) response.destroy();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  get(path: string): KubeObject | undefined {
    return this.objects.get(path);
  }

  set(path: string, object: { metadata: { name: string; [key: string]: unknown }; [key: string]: unknown }): void {
    const type = this.objects.has(path) ? "MODIFIED" : "ADDED";
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.version) } };
    this.objects.set(path, stored);
    this.tell(path, type, stored);
  }

  delete(path: string): void {
    const object = this.objects.get(path);
    if (!object) return;
    this.objects.delete(path);
    this.tell(path, "DELETED", object);
  }

  /** Ends every watch with an event, as if its version were too old. */
  endWatches(code = 410): void {
    for (const { response } of this.watchers) {
      response.end(
        `${JSON.stringify({ type: "ERROR", object: { metadata: { name: "" }, code, message: "too old resource version" } })}\n`,
      );
    }
    this.watchers.clear();
  }

  private tell(path: string, type: string, object: Stored): void {
    const collection = path.slice(0, path.lastIndexOf("/"));
    for (const watcher of this.watchers) {
      if (watcher.path === collection) watcher.response.write(`${JSON.stringify({ type, object })}\n`);
    }
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "https://localhost");
    const watch = searchParams.get("watch") === "true";
    this.calls.push(`${watch ? "WATCH" : request.method} ${pathname}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = (status: number, body: object) => {
      const dated = this.date ? { date: this.date.toUTCString() } : {};
      response.writeHead(status, { "content-type": "application/json", ...dated });
      response.end(JSON.stringify(body));
    };
    if (this.failWith !== undefined) return answer(this.failWith, { message: "as the test wants it" });
    if (request.headers.authorization !== "Bearer token-of-the-test") return answer(401, { message: "Unauthorized" });
    if (watch) {
      response.writeHead(200, { "content-type": "application/json" });
      response.flushHeaders();
      const watcher = { path: pathname, response };
      this.watchers.add(watcher);
      response.on("close", () => this.watchers.delete(watcher));
      return;
    }
    const found = this.objects.get(pathname);
    if (request.method === "GET") {
      if (found) return answer(200, found);
      const items = [...this.objects]
        .filter(([path]) => path.slice(0, path.lastIndexOf("/")) === pathname)
        .map(([, object]) => object);
      if (items.length > 0) return answer(200, { metadata: { resourceVersion: String(this.version) }, items });
      return answer(404, { message: `${pathname} not found` });
    }
    this.beforeWrite?.();
    this.write(request.method ?? "", pathname, JSON.parse(Buffer.concat(chunks).toString("utf8")), answer);
  }

  private write(method: string, path: string, body: unknown, answer: (status: number, body: object) => void): void {
    const stored = this.objects.get(path);
    if (!stored) return answer(404, { message: `${path} not found` });
    if (method === "PUT") {
      const object = body as Stored;
      if (object.metadata.resourceVersion !== stored.metadata.resourceVersion)
        return answer(409, { message: "the object has been modified" });
      this.set(path, object);
      return answer(200, this.objects.get(path) ?? {});
    }
    const patches = (body as { op: "test" | "add"; path: string; value: unknown }[]).map((each) =>
      JsonPatch[each.op](each.path, each.value),
    );
    try {
      this.set(path, JsonPatch.apply(stored, ...patches) as Stored);
    } catch (error) {
      return answer(422, { message: String(error) });
    }
    return answer(200, this.objects.get(path) ?? {});
  }
}
