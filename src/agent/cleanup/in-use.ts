import { setTimeout as sleep } from "node:timers/promises";

const readingSeconds = 60;

interface Watch {
  readonly addresses: readonly string[];
  readonly watchSeconds: number;
  /** Reads how many packets the addresses got so far; rules that are written anew count from zero. */
  readonly count: () => Promise<number>;
  /** Called before each interval that is watched. @returns Whether it wrote the rules anew. */
  readonly leadPastCache: () => Promise<boolean>;
}

/** Who would lose DNS with the link-local address; undefined if nobody asked while we watched. @throws Error */
export async function whoStillAsks(watch: Watch, perReading = readingSeconds): Promise<string | undefined> {
  const { addresses, watchSeconds, count, leadPastCache } = watch;
  let before: number | undefined;
  for (let left = watchSeconds; left > 0; left -= perReading) {
    // From the last reading on, so that who asks between two intervals is found, too.
    if ((await leadPastCache()) || before === undefined) before = await count();
    const seconds = Math.min(left, perReading);
    await sleep(seconds * 1000);
    const after = await count();
    const packets = after < before ? after : after - before;
    if (packets > 0) return `${addresses.join(" and ")} got ${packets} packets in the last ${seconds} seconds`;
    before = after;
  }
  return undefined;
}
