import { fstatSync } from "node:fs";
import { printOver } from "./print";

/** Shows progress on a terminal once work has taken half a second; elsewhere nothing. */
export function progress(what: string): { show(done: number, of: number): void; clear(): void } {
  if (!isTerminal()) return { show() {}, clear() {} };
  let next = Date.now() + 500;
  let isShown = false;
  return {
    show(done, of) {
      if (Date.now() < next) return;
      next = Date.now() + 100;
      isShown = true;
      printOver(`${what} ${done} of ${of}`);
    },
    clear() {
      if (isShown) printOver("");
    },
  };
}

/** To load `process.stderr` takes 2% of a synthesis: only what can be a terminal is asked whether it is one. */
function isTerminal(): boolean {
  try {
    return fstatSync(2).isCharacterDevice() && process.stderr.isTTY;
  } catch {
    return false; // it is closed
  }
}
