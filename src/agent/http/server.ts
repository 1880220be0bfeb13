import http from "node:http";
import type { Socket } from "node:net";
import { errorCode, errorMessage } from "../errors";

interface Endpoints {
  metrics(): Promise<string>;
  /** Why the kubelet should restart it; undefined if it is healthy. */
  unhealthy(): string | undefined;
  /** What it waits for or fails to do; undefined if it is ready. */
  unready(): string | undefined;
  /** What else it does when asked for a path. */
  readonly commands?: { readonly [path: string]: () => void };
}

/** Where it serves this; on every address by default. */
export interface Place {
  readonly port: number;
  readonly address?: string;
}

/** Prometheus and the kubelet need two or three. */
const maxConnections = 32;

const retryAfterMs = 2000;

/**
 * Serves /metrics, /healthz and /readyz. A stuck event loop serves nothing, and so fails the liveness probe. No socket
 * error ends the program: while the port is taken, it retries.
 * @param complain Called with the reason for each failure.
 */
export function serve(place: Place, endpoints: Endpoints, complain: (why: string) => void): http.Server {
  const asked = new WeakSet<Socket>();
  // One a connection: of thousands sent at once, all answers would be in memory before the first is read. Node would
  // answer those without a host and those that expect something itself, each of them.
  const handle = (request: http.IncomingMessage, response: http.ServerResponse) => {
    if (asked.has(request.socket)) return void request.socket.destroy();
    asked.add(request.socket);
    response.shouldKeepAlive = false;
    answer(endpoints, request, response);
  };
  const server = http
    .createServer(
      // Its check of what is slow wakes the process even if nobody is connected; what is silent has a timer of its own.
      { headersTimeout: 5000, requestTimeout: 5000, connectionsCheckingInterval: 30_000, requireHostHeader: false },
      handle,
    )
    .on("checkContinue", handle)
    .on("checkExpectation", handle);
  server.setTimeout(5000);
  const connections = new Set<Socket>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    // Close the oldest: refusing new ones would let idle connections fail the kubelet's probes.
    if (connections.size > maxConnections) [...connections][0]?.destroy();
  });
  const listen = () => server.listen({ port: place.port, host: place.address });
  server.on("error", (error) => {
    complain(`metrics: ${describe(error, place)}`);
    if (!server.listening) setTimeout(listen, retryAfterMs);
  });
  listen();
  return server;
}

function answer(endpoints: Endpoints, request: http.IncomingMessage, response: http.ServerResponse): void {
  const path = request.url?.split("?")[0] ?? "";
  const reply = (status: number, body: string, type = "text/plain; charset=utf-8") =>
    response.writeHead(status, { "Content-Type": type }).end(body);
  const state = (why: string | undefined) => reply(why === undefined ? 200 : 503, `${why ?? "ok"}\n`);
  if (request.method !== "GET" && request.method !== "HEAD") reply(405, "GET and HEAD only\n");
  else if (endpoints.commands && Object.hasOwn(endpoints.commands, path)) {
    endpoints.commands[path]?.();
    reply(200, "ok\n");
  } else if (path === "/healthz") state(endpoints.unhealthy());
  else if (path === "/readyz") state(endpoints.unready());
  else if (path === "/metrics") {
    endpoints.metrics().then(
      (text) => reply(200, text, "text/plain; version=0.0.4; charset=utf-8"),
      (error: unknown) => reply(500, `${String(error)}\n`),
    );
  } else reply(404, "accepted: /metrics, /healthz, /readyz\n");
}

function describe(error: Error, { address = "every address", port }: Place): string {
  const why = errorCode(error) ?? errorMessage(error);
  return why === "EADDRINUSE"
    ? `port ${port} of ${address} is taken by another program, or another copy of this one`
    : `port ${port} of ${address}: ${why}`;
}
