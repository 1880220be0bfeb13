import { createSocket } from "node:dgram";
import { createServer } from "node:net";

// Below what kernels give to sockets that ask for none, from 32768 on Linux: no connection takes one before its program.
const count = 2500;
// Vitest's workers beside each other have ports of their own: between asking for one and using it, another would find it free, too.
const lowest = 10_000 + (Number(process.env["VITEST_POOL_ID"] ?? 0) % 8) * count;

// Other processes beside each other, whose numbers are close, begin far apart.
let next = (process.pid * 7919) % count;

/** A port that is free for TCP and UDP at every address. */
export async function freePort(): Promise<number> {
  const port = lowest + next;
  next = (next + 1) % count;
  return (await isFreeForTCP(port)) && (await isFreeForUDP(port)) ? port : freePort();
}

function isFreeForTCP(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}

function isFreeForUDP(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket("udp4");
    socket.once("error", () => resolve(false));
    socket.bind(port, () => socket.close(() => resolve(true)));
  });
}
