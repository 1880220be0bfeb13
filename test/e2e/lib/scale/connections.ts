import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { streamEncode } from "dns-packet";

/** Asks a server on the loopback interface for names, one after the other, on a TCP connection that stays open. */
export async function askOnConnection(port: number, names: readonly string[]): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  const isClosed = once(socket, "close").then(() => Promise.reject(new Error("closed")));
  try {
    for (const [id, name] of names.entries()) {
      socket.write(streamEncode({ type: "query", id, questions: [{ type: "A", name }] }));
      await Promise.race([once(socket, "data"), isClosed]);
    }
    return socket;
  } catch {
    // CoreDNS waits three seconds for a query. A busy machine may take longer to send one.
    return askOnConnection(port, names);
  }
}
