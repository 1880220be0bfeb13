import { openSync, readFileSync, readSync } from "node:fs";
import type { Family } from "../../model/syntax/addresses";

/** The kernel fills pages of at least 4 KiB, so a read that leaves room for another line was the last one. */
const page = Buffer.alloc(4096);
const longestLine = 256;

/** Enough for 128 sockets with IPv4; reading many would cost more than it is worth (docs/watchdog.md). */
const mostPages = 4;

/** @returns A function that reads the table of the UDP sockets in this network namespace, or as much as is cheap. */
export function openSocketTable(family: Family): () => { readonly text: string; readonly whole: boolean } {
  let file: number | undefined;
  return () => {
    try {
      file ??= openSync(path(family), "r");
      let text = "";
      for (let pages = 0; pages < mostPages; pages++) {
        const length = readSync(file, page, 0, page.length, text.length);
        text += page.toString("latin1", 0, length);
        if (length < page.length - longestLine) return { text, whole: true };
      }
      return { text, whole: false };
    } catch {
      return { text: "", whole: false };
    }
  };
}

/** The whole table, whatever it costs; empty if the node does not have the family, undefined if it cannot be read now. */
export function readSocketTable(family: Family): string | undefined {
  try {
    return readFileSync(path(family), "latin1");
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? "" : undefined;
  }
}

function path(family: Family): string {
  return family === "IPv6" ? "/proc/net/udp6" : "/proc/net/udp";
}
