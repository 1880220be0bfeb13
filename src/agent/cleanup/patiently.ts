import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage } from "../errors";
import type { Logger } from "../log";

/** On a busy node, a command may fail: that costs no day of watching. More failures in a row are no accident. */
const tries = 3;

const pauseMs = 5000;

/** Tries again what fails. @throws Error The last try's. */
export async function patiently<T>(work: () => Promise<T>, log: Logger, pause = pauseMs): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (tried === tries) throw error;
      log.warn(`tries again: ${errorMessage(error)}`);
      await sleep(pause);
    }
  }
}
