// Allows everything that it is asked, over TLS 1.3: what any webhook in Node costs. Arguments: a folder with certificate and key, a port.
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";

const [folder, port] = process.argv.slice(2);
const [cert, key] = ["tls.crt", "tls.key"].map((name) => readFileSync(join(folder, name)));
createServer({ cert, key, minVersion: "TLSv1.3", keepAliveTimeout: 100_000 }, async (incoming, response) => {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const { request } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ response: { uid: request.uid, allowed: true } }));
}).listen(Number(port), "127.0.0.1");
