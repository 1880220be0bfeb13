import { createSocket } from "node:dgram";
import { createServer } from "node:net";

// Below what kernels give to sockets that ask for none, from 32768 on Linux: no connection takes one before its program.
// Above 10080, which no browser and no `fetch` connects to.
const lowest = 10_500;
const blocks = 39;
const ofBlock = 500;

/**
 * Ports that are free for TCP and UDP at every address, each once until all had their turn. They are of a block that no
 * other process has: between asking for a port and using it, another would find it free, too.
 */
export function freePorts(): () => Promise<number> {
  let block: Promise<number> | undefined;
  let next = 0;
  return async () => {
    const first = await (block ??= ownBlock());
    for (let tried = 1; tried < ofBlock; tried++) {
      const port = first + 1 + (next++ % (ofBlock - 1));
      if ((await isFreeForTCP(port)) && (await isFreeForUDP(port))) return port;
    }
    throw new Error(`no port from ${first} to ${first + ofBlock - 1} is free`);
  };
}

/** Of this process. */
export const freePort = freePorts();

/** @returns Its first port. As long as this process runs, it listens there. */
async function ownBlock(): Promise<number> {
  for (let tried = 0; tried < blocks; tried++) {
    // Processes that begin beside each other seldom try the same one first.
    const first = lowest + ((process.pid + tried) % blocks) * ofBlock;
    if (await listens(first)) return first;
  }
  throw new Error(`${blocks} processes have each port from ${lowest} to ${lowest + blocks * ofBlock - 1}`);
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer().unref();
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
    server.listen({ host: "127.0.0.1", port }, () => resolve(true));
  });
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
