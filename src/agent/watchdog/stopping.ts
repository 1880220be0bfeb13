import { cacheGraceSeconds, cacheLameduckSeconds } from "../../model/corefile/node-local-dns";
import { familyOf } from "../../model/syntax/addresses";
import { boundTo, inodesOf } from "./receive-queues";
import { readSocketTable } from "./socket-table";
import type { Watchdog } from "./watchdog";

/** Before the cache stops reading its sockets, time enough for a busy machine to turn the switches. */
const headStartMs = 1000;
const lookIntervalMs = 50;
/** Time enough to learn whether the cluster DNS answers: without it, the cache had better be asked to its end. */
const askBeforeMs = 2000;
/** A busy kubelet may send SIGTERM, and the SIGKILL after it, so much later. */
const lateMs = 2000;

/** More caches than this do not stop at once. */
const mostStops = 4;

/**
 * Callers cannot prove that they are the kubelet, and a pod's probe can make the kubelet call. After a false alarm, no
 * caller is believed for this long, and twice as long each time.
 */
const disbeliefMs = 60_000;
const longestDisbeliefMs = 30 * 60_000;

/** A cache stops, one of those with these sockets: one of each address is going to be closed. */
interface Stop {
  /** Inodes, for each address. */
  readonly sockets: readonly Set<string>[];
  readonly killedBy: number;
  /** Another stop, of which the kubelet told as well, took one of its sockets: it may have told of that one twice. */
  mayBeRepeated: boolean;
}

/**
 * When its lameduck time is over, CoreDNS stops reading its sockets, but leaves each open until it has answered what it
 * has accepted: with a query under way to a server that is silent, for five seconds. Whatever the kernel delivers there
 * is lost, a second cache on the port or not. So nothing is sent to the cache from shortly before until a socket of each
 * address is gone.
 * @param askPastCache Finds out whether the cluster DNS answers.
 * @returns What is called before a cache gets its SIGTERM.
 */
export function createStopping(
  watchdog: Pick<Watchdog, "listeners" | "dispatch">,
  askPastCache: () => void,
  readTable = readSocketTable,
): () => void {
  const stops = new Stops(watchdog, askPastCache, readTable);
  return () => stops.told();
}

class Stops {
  private readonly sockets;
  private readonly families;
  /** In the order in which they were told; `begun`: until one is over, nothing is sent to a cache. */
  private readonly followed = new Set<Stop>();
  private readonly begun = new Set<Stop>();
  private nextLook: NodeJS.Timeout | undefined;
  private believedFrom = 0;
  private nextDisbeliefMs = disbeliefMs;

  constructor(
    private readonly watchdog: Pick<Watchdog, "listeners" | "dispatch">,
    private readonly askPastCache: () => void,
    private readonly readTable: typeof readSocketTable,
  ) {
    this.sockets = watchdog.listeners
      .filter(({ protocol }) => protocol === "udp")
      .map(({ address }) => ({ address, family: familyOf(address) ?? "IPv4", line: boundTo(address) }));
    this.families = [...new Set(this.sockets.map(({ family }) => family))];
  }

  told(): void {
    if (this.followed.size === mostStops || performance.now() < this.believedFrom) return;
    const had = this.inodes();
    if (had === undefined) return;
    const killedBy = performance.now() + cacheGraceSeconds.watched * 1000 + lateMs;
    const stop: Stop = { sockets: had, killedBy, mayBeRepeated: false };
    this.followed.add(stop);
    setTimeout(
      () => {
        this.askPastCache();
        setTimeout(() => this.begin(stop), askBeforeMs);
      },
      cacheLameduckSeconds * 1000 - headStartMs - askBeforeMs,
    );
  }

  /** Undefined while the tables cannot be read: what they lack then is not closed. */
  private inodes(): Set<string>[] | undefined {
    // One reading lacks a socket at times: when another closes meanwhile, the kernel goes on one line too far.
    const tables = this.families.map((family) => [this.readTable(family), this.readTable(family)]);
    if (tables.some((readings) => readings.includes(undefined))) return undefined;
    return this.sockets.map(({ family, line }) =>
      inodesOf(tables[this.families.indexOf(family)]?.join("") ?? "", line),
    );
  }

  private changed(): void {
    this.watchdog.dispatch({ kind: "stopping", stopping: this.begun.size > 0, at: performance.now() });
  }

  /** The kernel shows it before any probe does, and the node's own processes must not be sent there meanwhile. */
  private nothingListens(address: string): void {
    for (const listener of this.watchdog.listeners.filter((l) => l.address === address))
      this.watchdog.dispatch({ kind: "refused", listener, at: performance.now() });
  }

  /** Once for all who told of it meanwhile: a probe repeats itself every second. */
  private disbelieve(): void {
    this.believedFrom = performance.now() + this.nextDisbeliefMs;
    this.nextDisbeliefMs = Math.min(this.nextDisbeliefMs * 2, longestDisbeliefMs);
  }

  private begin(stop: Stop): void {
    this.begun.add(stop);
    this.changed();
    // If nothing else answered, it is asked every second from now on, until it does.
    this.askPastCache();
    this.look();
  }

  /** The one told of first takes the first socket that is gone: another may still wait for a silent server. */
  private look(): void {
    clearTimeout(this.nextLook);
    const lookedAt = performance.now();
    const now = this.inodes();
    // A node with thousands of sockets takes a while to tell.
    const nextLookMs = Math.max(lookIntervalMs, (performance.now() - lookedAt) * 10);
    for (const stop of this.begun) this.endIfOver(stop, now);
    if (this.begun.size > 0) this.nextLook = setTimeout(() => this.look(), nextLookMs);
  }

  private endIfOver(stop: Stop, now: readonly Set<string>[] | undefined): void {
    const gone = stop.sockets.map((had, i) => [...had].find((inode) => now?.[i]?.has(inode) === false));
    const closed = now !== undefined && stop.sockets.every((had, i) => had.size === 0 || gone[i] !== undefined);
    if (!closed && performance.now() < stop.killedBy) return;
    for (const [i, { address }] of this.sockets.entries())
      if (stop.sockets[i]?.size !== 0 && now?.[i]?.size === 0) this.nothingListens(address);
    this.followed.delete(stop);
    this.begun.delete(stop);
    this.changed();
    const isFalse = !closed && now !== undefined && !stop.mayBeRepeated;
    if (isFalse && performance.now() >= this.believedFrom) this.disbelieve();
    for (const [i, inode] of gone.entries()) if (closed && inode !== undefined) this.took(i, inode);
  }

  private took(i: number, inode: string): void {
    this.nextDisbeliefMs = disbeliefMs;
    for (const other of this.followed) if (other.sockets[i]?.delete(inode) === true) other.mayBeRepeated = true;
  }
}
