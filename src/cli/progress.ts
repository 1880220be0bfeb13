import { isatty } from "node:tty";
import { printError } from "./print";

/** Shows progress on a terminal once work has taken half a second; elsewhere nothing. */
export function progress(what: string): { show(done: number, of: number): void; clear(): void } {
  if (!isatty(2)) return { show() {}, clear() {} };
  let next = Date.now() + 500;
  let isShown = false;
  return {
    show(done, of) {
      if (Date.now() < next) return;
      next = Date.now() + 100;
      isShown = true;
      printError(`\r${what} ${done} of ${of}\x1b[K`);
    },
    clear() {
      if (isShown) printError("\r\x1b[K");
    },
  };
}
