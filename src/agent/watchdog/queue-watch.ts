import { includesListener, type Listener } from "../../model/packet-rules/listener";
import { type Family, familyOf } from "../../model/syntax/addresses";
import type { Probing } from "./probing";
import { boundTo, longestQueue, stillStanding } from "./receive-queues";
import { openSocketTable } from "./socket-table";
import { wantedSwitches } from "./state";
import type { Watchdog } from "./watchdog";

/** A queue must stand in this many more readings, so far apart: a cache that is only busy reads some in between. */
const confirmations = 4;
const confirmMs = 5;

/**
 * How long no queue is looked at after one caused doubt without reason. Probes sent while a cache stands still miss more
 * often than others: without a limit, pauses of a tenth of a second would soon add up to `windowFailures`.
 */
const quietMs = 30_000;

/**
 * Watches the receive queues of the cache's UDP sockets: the kernel knows that nobody reads them, or that they are gone,
 * before a probe is due.
 * @param probing Probes a listener that nobody seems to read, and then starts fast probing.
 * @returns A function that looks once, and returns whether a hang would show.
 */
export function createQueueWatch(
  { listeners, state, thresholds }: Pick<Watchdog, "listeners" | "state" | "thresholds">,
  { ask, doubt }: Pick<Probing, "ask" | "doubt">,
  openTable = openSocketTable,
): () => boolean {
  const sockets = listeners
    .filter(({ protocol }) => protocol === "udp")
    .map((listener) => ({ listener, family: familyOf(listener.address) ?? "IPv4", line: boundTo(listener.address) }));
  const tables = new Map(sockets.map(({ family }) => [family, openTable(family)]));
  let confirming: NodeJS.Timeout | undefined;
  let quietUntil = 0;
  let doubted: Listener | undefined;

  function confirm(before: readonly number[], times: number): void {
    const [standing] = sockets.filter((_, i) => (before[i] ?? 0) > 0);
    if (standing === undefined) return;
    // With the probe that doubt sends, enough are under way to be sure by the time they are due.
    if (times > 0 && times < thresholds.failures) ask(standing.listener);
    if (times === confirmations) {
      quietUntil = performance.now() + quietMs;
      doubted = standing.listener;
      doubt(doubted);
      return;
    }
    confirming = setTimeout(() => {
      confirming = undefined;
      const now = queuesOf(sockets, tables) ?? [];
      confirm(
        before.map((queue, i) => stillStanding(queue, now[i] ?? 0)),
        times + 1,
      );
    }, confirmMs);
  }

  return () => {
    const { pods } = wantedSwitches(state());
    const isOn = sockets.map(({ listener }) => includesListener(pods, listener));
    if (doubted !== undefined && !includesListener(pods, doubted)) quietUntil = 0; // the doubt was right
    if (performance.now() < quietUntil || !isOn.includes(true)) return false;
    if (confirming !== undefined) return true;
    const lengths = queuesOf(sockets, tables);
    confirm(
      (lengths ?? []).map((length, i) => (isOn[i] ? length : 0)),
      0,
    );
    return lengths !== undefined;
  };
}

interface Socket {
  readonly listener: Listener;
  readonly family: Family;
  readonly line: ReturnType<typeof boundTo>;
}

/** In bytes; Infinity: there is no socket. Undefined: a socket is beyond what we read. */
function queuesOf(
  sockets: readonly Socket[],
  tables: ReadonlyMap<Family, ReturnType<typeof openSocketTable>>,
): number[] | undefined {
  const read = new Map([...tables].map(([family, table]) => [family, table()]));
  const lengths: number[] = [];
  for (const { family, line } of sockets) {
    const { text = "", whole = false } = read.get(family) ?? {};
    const length = longestQueue(text, line);
    if (length === undefined && !whole) return undefined;
    lengths.push(length ?? Infinity);
  }
  return lengths;
}
