import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Turns } from "./turns";

/** A client's connection, from the moment it is accepted. */
export interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** After the handshake. */
  secure?: TLSSocket;
  /** `new`: no valid review yet; `busy`: a review under way; `idle`: has had a valid review. */
  state: "waiting" | "handshake" | "new" | "busy" | "idle";
  /** When that state began, as `performance.now()`. */
  since: number;
  /** What had been read of it then. */
  readBytes: number;
  /** Size of its body in memory. */
  bytes: number;
  /** Its body, while nobody works on it. */
  body?: Buffer | undefined;
}

export type CloseReason = "overdue" | "idlest" | "heaviest" | "refused";

interface ConnectionsOptions {
  readonly turns: Turns;
  /** Starts the TLS handshake. */
  readonly start: (socket: Socket) => void;
  readonly onClose: (why: CloseReason) => void;
}

const limits = {
  connections: 600,
  /** Per address. One API server keeps up to 25 idle ones, and opens as many more as it sends requests at a time. */
  connectionsOfAddress: 200,
  /** At a time, per address: each costs about a millisecond. */
  handshakesOfAddress: 16,
  /** Of bodies in memory. */
  bytes: 64 * 1024 * 1024,
  /** Written to one connection. Until its client has read it, it is in the kernel's memory, which is our container's. */
  bytesOfConnection: 256 * 1024,
  /** For a handshake, and for each review: an API server waits two seconds at most (timeoutSeconds). */
  patienceMs: 3_000,
  /** A connection that has waited longer than this for its client may be closed in favor of others. */
  stalledMs: 500,
  /** The API server's client drops an idle connection after 90 seconds: if it does, no request is lost. */
  idleMs: 100_000,
  /** Without a request: what Node and OpenSSL read of empty lines and new keys costs, and no handler hears of it. */
  unaskedBytes: 64 * 1024,
} as const;
const sweepMs = 250;
/** How long we report not ready after running out of connections. */
const fullMs = 10_000;

/** The API server does not identify itself: what runs out is taken from the address that uses most of it. */
export class Connections {
  private readonly all = new Map<string, Connection>();
  private readonly byAddress = new Map<string, Set<Connection>>();
  private bytes = 0;
  private refusedAt = -Infinity;
  private readonly sweeping: NodeJS.Timeout;

  constructor(private readonly options: ConnectionsOptions) {
    this.sweeping = setInterval(() => this.sweep(), sweepMs).unref();
  }

  get size(): number {
    return this.all.size;
  }

  /** Whether a client that had few connections was recently refused because all connections were busy. */
  get full(): boolean {
    return performance.now() - this.refusedAt < fullMs;
  }

  add(socket: Socket): void {
    const { remoteAddress: address, remotePort: port } = socket;
    // It has already disconnected.
    if (address === undefined) return void socket.destroy();
    socket.on("error", () => undefined);
    const own = this.byAddress.get(address) ?? new Set();
    if (own.size >= limits.connectionsOfAddress && !this.closeIdlest(own)) return this.close({ socket }, "refused");
    const heaviest = this.size < limits.connections ? undefined : this.heaviest(() => 1);
    if (heaviest && !this.closeIdlest(heaviest, own.size + 1 < heaviest.size)) {
      this.refusedAt = performance.now();
      return this.close({ socket }, "refused");
    }
    const connection: Connection = {
      socket,
      address,
      state: "waiting",
      since: performance.now(),
      readBytes: 0,
      bytes: 0,
    };
    const key = keyOf(address, port);
    this.all.set(key, connection);
    this.byAddress.set(address, own.add(connection));
    socket.once("close", () => this.remove(key, connection));
    this.startHandshakes(own);
  }

  /** The connection that a TLS socket belongs to; undefined if it is closed. */
  of({ remoteAddress = "", remotePort }: Socket): Connection | undefined {
    return this.all.get(keyOf(remoteAddress, remotePort));
  }

  change(connection: Connection, state: Connection["state"]): void {
    connection.state = state;
    connection.since = performance.now();
    connection.readBytes = connection.socket.bytesRead;
    if (state === "new") this.startHandshakes(this.byAddress.get(connection.address) ?? new Set());
  }

  /**
   * Accounts for a piece of a body. If all bodies together exceed the limit, closes the largest one of the address that
   * holds most. One that is closed gives back its bytes later, so another one of that address has to give now; not one
   * of another address, if all of that are closed.
   */
  hold(connection: Connection, bytes: number): void {
    connection.bytes += bytes;
    this.bytes += bytes;
    if (this.bytes <= limits.bytes) return;
    const open = [...this.heaviest((one) => one.bytes)].filter(({ socket }) => !socket.destroyed);
    const [largest] = open.toSorted((a, b) => b.bytes - a.bytes);
    if (largest && largest.bytes > 0) this.close(largest, "heaviest");
  }

  /** Keeps a body until its turn comes; it is dropped as soon as its client disconnects. */
  keep(connection: Connection, body: Buffer): void {
    if (connection.socket.destroyed) throw disconnected();
    connection.body = body;
  }

  /** Hands the body over. It counts until it is released. @throws Error if the client has disconnected. */
  take(connection: Connection): Buffer {
    const { body } = connection;
    if (!body) throw disconnected();
    connection.body = undefined;
    return body;
  }

  /** Whether it may ask again. We cannot know how much of the answers its client has read. */
  mayStay({ socket }: Connection): boolean {
    return socket.bytesWritten < limits.bytesOfConnection;
  }

  /** Its body is no longer in memory. */
  release(connection: Connection): void {
    connection.body = undefined;
    this.bytes -= connection.bytes;
    connection.bytes = 0;
  }

  /** Closes connections that are not busy, and waits for those that are. */
  async drain(): Promise<void> {
    for (const { state, socket } of this.all.values()) if (state !== "busy") socket.destroy();
    await Promise.all(
      [...this.all.values()].map(({ socket }) => new Promise((resolve) => socket.once("close", resolve))),
    );
    clearInterval(this.sweeping);
  }

  private startHandshakes(own: ReadonlySet<Connection>): void {
    let free = limits.handshakesOfAddress;
    for (const { state } of own) if (state === "handshake") free--;
    for (const connection of own) {
      if (free <= 0) return;
      if (connection.state !== "waiting") continue;
      free--;
      connection.state = "handshake";
      const { socket, address } = connection;
      void this.options.turns.run(address, () => {
        if (!socket.destroyed) this.options.start(socket);
      });
    }
  }

  private remove(key: string, connection: Connection): void {
    if (connection.body) this.release(connection);
    // A client that resets a connection can open the next one from the same port before we hear of it.
    if (this.all.get(key) === connection) this.all.delete(key);
    const own = this.byAddress.get(connection.address);
    own?.delete(connection);
    if (own?.size === 0) this.byAddress.delete(connection.address);
    else if (own) this.startHandshakes(own);
  }

  /** Closes it without leaving to the kernel what the client has not read. */
  close({ socket, secure }: Pick<Connection, "socket" | "secure">, why: CloseReason): void {
    if (socket.destroyed) return;
    // Node cannot reset a socket that is shutting down.
    if (secure?.writableEnded && !secure.writableFinished) socket.destroy();
    else socket.resetAndDestroy();
    this.options.onClose(why);
  }

  /**
   * @param isForFewer Whether it makes room for an address with fewer: then also a handshake that just began gives way, as
   *   handshakes that never end could begin all the time.
   * @returns Whether one could be closed.
   */
  private closeIdlest(own: ReadonlySet<Connection>, isForFewer = false): boolean {
    const stalled = performance.now() - limits.stalledMs;
    let idlest: Connection | undefined;
    for (const one of own) {
      const isHandshake = one.state === "waiting" || one.state === "handshake";
      const gives = one.since < stalled || (isHandshake ? isForFewer : one.state !== "busy");
      if (gives && !one.socket.destroyed && one.since < (idlest?.since ?? Infinity)) idlest = one;
    }
    if (idlest) this.close(idlest, "idlest");
    return idlest !== undefined;
  }

  private heaviest(weigh: (connection: Connection) => number): ReadonlySet<Connection> {
    let [heaviest, most]: [ReadonlySet<Connection>, number] = [new Set(), -1];
    for (const own of this.byAddress.values()) {
      let weight = 0;
      for (const one of own) weight += weigh(one);
      if (weight > most) [heaviest, most] = [own, weight];
    }
    return heaviest;
  }

  private sweep(): void {
    const now = performance.now();
    for (const one of this.all.values()) {
      const { state, since, socket, readBytes } = one;
      if (now - since > (state === "idle" ? limits.idleMs : limits.patienceMs)) this.close(one, "overdue");
      else if (state !== "busy" && socket.bytesRead - readBytes > limits.unaskedBytes) this.close(one, "refused");
    }
  }
}

function disconnected(): Error {
  return new Error("the client disconnected");
}

function keyOf(address: string, port: number | undefined): string {
  return `${address}:${port}`;
}
