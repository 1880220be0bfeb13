import { writeSync } from "node:fs";

/** To standard output. Loading `process.stdout` instead takes a twentieth of Node's own start. */
export function print(text: string): void {
  write(1, text, () => process.stdout);
}

/** To standard error. */
export function printError(text: string): void {
  write(2, text, () => process.stderr);
}

function write(descriptor: number, text: string, stream: () => NodeJS.WriteStream): void {
  for (let rest = Buffer.from(text); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      // A reader that has seen enough (`cluster-dns --help | head -1`) is no error.
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw error;
      // Full, and somebody who shares it does not want to wait: the stream knows how.
      stream()
        .on("error", () => {})
        .write(rest);
      return;
    }
  }
}
