import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/**
 * As much of an API server as kube-proxy needs, and objects that never change: `node kube-api.js FILE PORT`. FILE has
 * what is listed under each resource's name.
 */
const [file = "", port] = process.argv.slice(2);
const lists = JSON.parse(readFileSync(file, "utf8")) as { [resource: string]: { kind: string; apiVersion: string }[] };
const resourceVersion = "1";

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://api");
  const items = lists[pathname.split("/").at(-1) ?? ""];
  const [{ kind = "", apiVersion = "" } = {}] = items ?? [];
  const send = (code: number, body: object) =>
    response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (request.method !== "GET") return send(201, {}); // its events
  if (items === undefined) return send(404, { kind: "Status", apiVersion: "v1", code: 404, reason: "NotFound" });
  if (!searchParams.has("watch"))
    return send(200, { kind: `${kind}List`, apiVersion, metadata: { resourceVersion }, items });

  response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
  if (searchParams.get("sendInitialEvents") === "true") {
    const annotations = { "k8s.io/initial-events-end": "true" };
    const end = { type: "BOOKMARK", object: { kind, apiVersion, metadata: { resourceVersion, annotations } } };
    for (const event of [...items.map((object) => ({ type: "ADDED", object })), end])
      response.write(`${JSON.stringify(event)}\n`);
  }
  return response;
}).listen(Number(port), "127.0.0.1", () => console.log("listening"));
