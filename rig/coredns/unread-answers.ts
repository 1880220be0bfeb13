import net from "node:net";
import { query } from "./flood";

/** Queries for names of maximum length over connections that never read. */
export interface UnreadAnswers {
  readonly port: number;
  readonly zone: string;
  readonly connections: number;
  /** Sent at once over each connection: the first answers still fit into the kernel's buffers. */
  readonly queriesEach: number;
}

/** Resolves once all are connected, to a function that closes them. */
export async function leaveUnread({ port, zone, connections, queriesEach }: UnreadAnswers): Promise<() => void> {
  const sockets = await Promise.all(
    Array.from({ length: connections }, async (_, i) => {
      const queries = Array.from({ length: queriesEach }, (__, j) => query(i * queriesEach + j, zone, true));
      const socket = net.connect(port, "127.0.0.1").pause();
      socket.on("error", () => undefined);
      await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
      socket.write(Buffer.concat(queries.map(framed)));
      return socket;
    }),
  );
  return () => sockets.forEach((socket) => socket.destroy());
}

/** As it is sent over TCP. */
function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}
