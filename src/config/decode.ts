import { isUtf8 } from "node:buffer";
import type { LocatedProblem } from "./located-problem";

/** The text of a file, or the place where it is no UTF-8. A byte order mark is left out. */
export function decode(file: string, bytes: Uint8Array): { text: string } | { problem: LocatedProblem } {
  if (isUtf8(bytes)) return { text: new TextDecoder().decode(bytes) };
  if (startsWith(bytes, 0xff, 0xfe) || startsWith(bytes, 0xfe, 0xff)) {
    return { problem: { file, position: { line: 1, column: 1 }, message: "is UTF-16; save it as UTF-8" } };
  }
  return {
    problem: { file, position: firstInvalid(bytes), message: "is not valid UTF-8 here; save the file as UTF-8" },
  };
}

function startsWith(bytes: Uint8Array, ...head: number[]): boolean {
  return head.every((byte, i) => bytes[i] === byte);
}

// No byte of a longer UTF-8 sequence is a newline, so each line can be looked at alone.
function firstInvalid(bytes: Uint8Array): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (;;) {
    const newline = bytes.indexOf(0x0a, start);
    const content = bytes.subarray(start, newline < 0 ? undefined : newline);
    if (!isUtf8(content) || newline < 0) {
      return { line, column: Math.max(0, new TextDecoder().decode(content).indexOf("\ufffd")) + 1 };
    }
    start = newline + 1;
    line++;
  }
}
