import { openSync, readSync } from "node:fs";
import type { Family } from "../../model/syntax/addresses";

/** Larger than either file: about 1.5 KiB for IPv4, 5 for IPv6. */
const text = Buffer.alloc(16_384);

/**
 * @returns A function that counts the UDP datagrams that programs in this network namespace have read since its last
 *   call: on a node, mostly the cache's queries and answers. 0 where the kernel does not tell.
 */
export function createDatagramCount(families: readonly Family[]): () => number {
  const readings = families.map(createReading);
  let before = 0;
  return () => {
    const total = readings.reduce((sum, read) => sum + read(), 0);
    const read = total - before;
    before = total;
    return read;
  };
}

function createReading(family: Family): () => number {
  const [path, count] =
    family === "IPv6" ? ["/proc/net/snmp6", /^Udp6InDatagrams\s+(\d+)/m] : ["/proc/net/snmp", /^Udp: (\d+)/m];
  let file: number | undefined;
  return () => {
    try {
      file ??= openSync(path, "r");
      const length = readSync(file, text, 0, text.length, 0);
      return Number(count.exec(text.toString("latin1", 0, length))?.[1] ?? 0);
    } catch {
      return 0;
    }
  };
}
