import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "../errors";

/** As long as node-setup takes beside 10,000 Services; whoever holds the turn for longer holds up no repair. */
const longestMs = 3000;

const againAfterMs = 20;

/** Does work while no other of our programs on the node does: each would write its rules as if there were none. */
export const inTurn = turnsFor("node-local-dns-writes");

/** @param guarded The turn is an abstract socket of this name, of the network namespace: it ends with its process. */
export function turnsFor(guarded: string) {
  /** @param isHurried Whether to wait no longer. */
  return async <Result>(work: () => Promise<Result>, isHurried = () => false): Promise<Result> => {
    const until = performance.now() + longestMs;
    let free = await takeTurn(guarded);
    while (free === undefined && performance.now() < until && !isHurried()) {
      await sleep(againAfterMs);
      free = await takeTurn(guarded);
    }
    try {
      return await work();
    } finally {
      free?.();
    }
  };
}

/** Undefined if somebody has it. */
async function takeTurn(guarded: string): Promise<(() => void) | undefined> {
  const server = createServer((socket) => socket.destroy()).listen(`\0${guarded}`);
  try {
    await once(server, "listening");
  } catch (error) {
    if (errorCode(error) === "EADDRINUSE") return undefined;
    // Nothing to wait for.
  }
  return () => server.close();
}
