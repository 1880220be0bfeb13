import { connect, type Server, type Socket } from "node:net";
import { pipeline } from "node:stream";

/**
 * Relays connections to the API server. It runs in the control plane's network namespace and accepts connections on a
 * listener from its parent, which belongs to the namespace where it was opened.
 */
const port = Number(process.argv[2]);
process.once("message", (_, listener) => {
  (listener as Server).on("connection", (client: Socket) => {
    const server = connect(port, "127.0.0.1");
    pipeline(client, server, client, () => undefined);
  });
});
