import { writeSync } from "node:fs";
import { reason } from "../config/reason";
import { printable } from "../model/syntax/printable";
import { isatty } from "node:tty";
import { styleText } from "node:util";

let isPending = false;

/** Whether a stream has yet to write what it was given, for which the process must live on. */
export function isPrinting(): boolean {
  return isPending;
}

export class PrintError extends Error {}

/** To load `process.stdout` takes 5% of Node's startup time. @throws PrintError, unless the reader is done. */
export function print(text: string): void {
  write(1, printable(text), () => process.stdout);
}

export interface Formatted {
  readonly formatted: string;
}

export function formatLines(all: readonly Line[]): Formatted {
  // What a text has of the kind is none of ours.
  const texts = all.map(({ text, style }) => coloured({ text: printable(text), ...(style && { style }) }));
  return { formatted: lines(texts) };
}

export function printFormatted({ formatted }: Formatted): void {
  write(1, formatted, () => process.stdout);
}

export function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}

/** Writes to standard error; nobody could be told that this fails. */
export function printError(text: string): void {
  write(2, printable(text), () => process.stderr);
}

/** Moves the cursor of the terminal at standard error, and writes there: only texts of ours. */
export function printOver(text: string): void {
  write(2, `\r${text}\x1b[K`, () => process.stderr);
}

function write(descriptor: number, text: string, stream: () => NodeJS.WriteStream): void {
  for (let rest = Buffer.from(text); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      const code = reason(error);
      // The reader is done (`cdk8s-cluster-dns --help | head -1`), which is fine.
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") {
        if (descriptor === 2) return;
        throw new PrintError(`standard output cannot be written to (${code})`);
      }
      // The pipe is full and another process made it non-blocking: let the stream handle it.
      isPending = true;
      stream()
        .on("error", () => {})
        .write(rest);
      return;
    }
  }
}

export interface Line {
  readonly text: string;
  readonly style?: keyof typeof formats;
}

const formats = {
  heading: "bold",
  added: "green",
  removed: "red",
  urgent: "yellow",
  broken: "red",
} as const;

function coloured({ text, style }: Line): string {
  return style !== undefined && takesColours() ? styleText(formats[style], text, { validateStream: false }) : text;
}

/** As https://no-color.org and https://force-color.org say; otherwise a terminal does. */
function takesColours(): boolean {
  const { FORCE_COLOR, NO_COLOR = "", TERM } = process.env;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return NO_COLOR === "" && TERM !== "dumb" && isatty(1);
}
