import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { reason } from "../config/reason";

/**
 * The text of a file that a shell made of a command's output; `-` is standard input. Shells of Windows begin it with a
 * byte order mark, which is left out, or write UTF-16.
 * @throws Error that says why it cannot be read.
 */
export function readRecorded(file: string): string {
  const bytes = bytesOf(file);
  if (!isUtf8(bytes)) throw new Error("is not valid UTF-8 (Windows PowerShell writes UTF-16); save it as UTF-8");
  return new TextDecoder().decode(bytes);
}

function bytesOf(file: string): Uint8Array {
  try {
    return readFileSync(file === "-" ? 0 : file);
  } catch (error) {
    throw new Error(`cannot be read (${reason(error)})`, { cause: error });
  }
}
