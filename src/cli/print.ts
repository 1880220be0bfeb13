import { writeSync } from "node:fs";
import { printable } from "../model/syntax/printable";

/** Writes to standard output. Loading `process.stdout` instead takes 5% of Node's own startup time. */
export function print(text: string): void {
  write(1, text, () => process.stdout);
}

/** Texts as lines. */
export function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}

/** Writes to standard error. */
export function printError(text: string): void {
  write(2, text, () => process.stderr);
}

function write(descriptor: number, text: string, stream: () => NodeJS.WriteStream): void {
  for (let rest = Buffer.from(printable(text)); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      // The reader is done (`cluster-dns --help | head -1`), which is fine.
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw error;
      // The pipe is full and another process made it non-blocking: let the stream handle it.
      stream()
        .on("error", () => {})
        .write(rest);
      return;
    }
  }
}
