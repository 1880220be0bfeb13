import { createSocket } from "node:dgram";
import { createServer } from "node:net";

// Below what kernels give to sockets that ask for none, from 32768 on Linux: no connection takes one before its program.
const lowest = 10_000;
const slices = 1000;
const portsOfSlice = 20;

let given = 0;

/** A port that is free for TCP and UDP at every address, from those of this process: processes beside it look at others. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < portsOfSlice; tried += 1) {
    const port = lowest + (process.pid % slices) * portsOfSlice + (given++ % portsOfSlice);
    if ((await isFreeForTCP(port)) && (await isFreeForUDP(port))) return port;
  }
  throw new Error(`no port of ${portsOfSlice} is free for process ${process.pid}`);
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
