import { connect, type Server, type Socket } from "node:net";
import { pipeline } from "node:stream";

/**
 * Passes connections on to the API server. It runs in the control plane's network namespace, and takes connections with a
 * listener that its parent gives it, which belongs to the namespace where it was opened.
 */
const port = Number(process.argv[2]);
process.once("message", (_, listener) => {
  (listener as Server).on("connection", (client: Socket) => {
    const server = connect(port, "127.0.0.1");
    pipeline(client, server, client, () => undefined);
  });
});
