import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** An abstract socket: it belongs to the network namespace, as rules and link do, and ends with its process. */
const turn = "\0node-local-dns-writes";

/** As long as node-setup takes beside 10,000 Services; whoever holds the turn for longer holds up no repair. */
const longestMs = 3000;

const againAfterMs = 20;

/**
 * Does work while no other of our programs on the node does: on a new node, node-setup and the watchdog write the same
 * rules at once, each as if there were none.
 * @param isHurried Whether to wait no longer.
 */
export async function inTurn<Result>(work: () => Promise<Result>, isHurried = () => false): Promise<Result> {
  const until = performance.now() + longestMs;
  let free = await takeTurn();
  while (free === undefined && performance.now() < until && !isHurried()) {
    await sleep(againAfterMs);
    free = await takeTurn();
  }
  try {
    return await work();
  } finally {
    free?.();
  }
}

/** Undefined if somebody has it. */
async function takeTurn(): Promise<(() => void) | undefined> {
  const server = createServer((socket) => socket.destroy()).listen(turn);
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
    // Nothing to wait for.
  }
  return () => server.close();
}
