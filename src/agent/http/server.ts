import http from "node:http";
import { errorCode, errorMessage } from "../errors";

/** What a program says of itself. */
interface Endpoints {
  metrics(): Promise<string>;
  /** Why the kubelet should restart it; undefined if it is healthy. */
  unhealthy(): string | undefined;
  /** What it waits for or cannot do; undefined if it is ready. */
  unready(): string | undefined;
}

/** Serves /metrics, /healthz and /readyz. A stuck event loop serves nothing, and so fails the liveness probe. */
export function serve(
  { port, address }: { readonly port: number; readonly address?: string },
  endpoints: Endpoints,
): Promise<http.Server> {
  const server = http.createServer((request, response) => {
    const path = request.url?.split("?")[0] ?? "";
    const reply = (status: number, body: string, type = "text/plain; charset=utf-8") =>
      response.writeHead(status, { "Content-Type": type }).end(body);
    const state = (why: string | undefined) => reply(why === undefined ? 200 : 503, `${why ?? "ok"}\n`);
    if (request.method !== "GET" && request.method !== "HEAD") reply(405, "GET and HEAD only\n");
    else if (path === "/healthz") state(endpoints.unhealthy());
    else if (path === "/readyz") state(endpoints.unready());
    else if (path === "/metrics") {
      endpoints.metrics().then(
        (text) => reply(200, text, "text/plain; version=0.0.4; charset=utf-8"),
        (error: unknown) => reply(500, `${String(error)}\n`),
      );
    } else reply(404, "accepted: /metrics, /healthz, /readyz\n");
  });
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      const why = errorCode(error) ?? errorMessage(error);
      const hint = "another program has it, or another copy of this one: set another port";
      reject(new Error(`metrics port ${port}: ${why}; ${hint}`, { cause: error }));
    });
    server.listen({ port, host: address }, () => resolve(server));
  });
}
