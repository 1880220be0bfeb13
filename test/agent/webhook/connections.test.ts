import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type CloseReason, type Connection, Connections } from "../../../src/agent/webhook/connections";
import { Turns } from "../../../src/agent/webhook/turns";

let connections: Connections;
let closed: CloseReason[];
let started: Socket[];
let reset: number;
let port: number;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  [closed, started, reset, port] = [[], [], 0, 1000];
  connections = new Connections({ turns: new Turns(), start: (s) => started.push(s), onClose: (w) => closed.push(w) });
});
afterEach(() => vi.useRealTimers());

/** Connects a client. */
async function connect(address: string, from = port++): Promise<Socket> {
  const stream = new Duplex({ read: () => undefined });
  const resetAndDestroy = () => (reset++, stream.destroy());
  const about = { remoteAddress: address, remotePort: from, bytesRead: 0, bytesWritten: 0, resetAndDestroy };
  const socket = Object.assign(stream, about) as unknown as Socket;
  connections.add(socket);
  await passes();
  return socket;
}

/** Connects a client and brings it to this state. */
async function connected(address: string, state: Connection["state"]): Promise<Connection> {
  const connection = connections.of(await connect(address));
  if (!connection) throw new Error("refused");
  connections.change(connection, "new");
  connections.change(connection, state);
  return connection;
}

async function connectMany(count: number, address: string, state: Connection["state"]): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => connected(address, state)));
}

/** A socket's `close` arrives a little later, and so do turns. */
function passes(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const megabyte = 1024 * 1024;
const hostile = ["10.9.0.1", "10.9.0.2", "10.9.0.3"];

it("closes the idlest connection of the address with the most, if all are taken", async () => {
  const api = await connectMany(30, "10.0.0.1", "idle");
  vi.advanceTimersByTime(1000);
  for (const address of hostile) await connectMany(190, address, "idle");
  expect(connections.size).toBe(600);
  await connectMany(10, "10.0.0.2", "idle");
  expect(connections.size).toBe(600);
  expect(closed).toEqual(Array.from({ length: 10 }, () => "idlest"));
  expect(api.every(({ socket }) => !socket.destroyed)).toBe(true);
  expect(connections.full).toBe(false);
});

it("limits an address to 200, and closes its own idlest for more", async () => {
  const others = await connectMany(10, "10.0.0.1", "idle");
  vi.advanceTimersByTime(1000);
  const [first] = await connectMany(200, "10.9.0.1", "idle");
  await connected("10.9.0.1", "new");
  expect([connections.size, closed, first?.socket.destroyed]).toEqual([210, ["idlest"], true]);
  expect(others.every(({ socket }) => !socket.destroyed)).toBe(true);
});

it("refuses an address with 200 busy connections, without being full for others", async () => {
  await connectMany(200, "10.9.0.1", "busy");
  expect((await connect("10.9.0.1")).destroyed).toBe(true);
  expect({ closed, full: connections.full }).toEqual({ closed: ["refused"], full: false });
  expect((await connect("10.0.0.1")).destroyed).toBe(false);
});

it("is full for a while if all are busy; stalled ones give way", async () => {
  for (const address of hostile) await connectMany(200, address, "busy");
  expect((await connect("10.0.0.1")).destroyed).toBe(true);
  expect({ closed, full: connections.full }).toEqual({ closed: ["refused"], full: true });
  vi.advanceTimersByTime(600);
  expect((await connect("10.0.0.1")).destroyed).toBe(false);
  expect(closed).toEqual(["refused", "idlest"]);
  vi.advanceTimersByTime(10_000);
  expect(connections.full).toBe(false);
});

it("takes an address with few if others with many begin handshakes all the time", async () => {
  for (const address of hostile) for (let i = 0; i < 200; i++) await connect(address);
  expect((await connect("10.0.0.1")).destroyed).toBe(false);
  expect({ closed, full: connections.full }).toEqual({ closed: ["idlest"], full: false });
});

it("knows a connection that comes from the port of one whose end was not heard of yet", async () => {
  const first = await connect("10.9.0.1");
  const second = await connect("10.9.0.1", port - 1);
  first.destroy();
  await passes();
  expect(connections.of(second)?.socket).toBe(second);
  vi.advanceTimersByTime(3500);
  expect(second.destroyed).toBe(true);
});

it("closes a connection that sends much without a request", async () => {
  const states = ["waiting", "new", "idle", "busy"] as const;
  const all = await Promise.all(states.map((state) => connected("10.9.0.1", state)));
  for (const { socket } of all) Object.assign(socket, { bytesRead: 64 * 1024 });
  vi.advanceTimersByTime(300);
  expect(closed).toEqual([]);
  for (const { socket } of all) Object.assign(socket, { bytesRead: 64 * 1024 + 1 });
  vi.advanceTimersByTime(300);
  expect(all.map(({ socket }) => socket.destroyed)).toEqual([true, true, true, false]);
  expect(closed).toEqual(["refused", "refused", "refused"]);
});

it("keeps a connection open for long only after a valid review", async () => {
  const fresh = await connected("10.0.0.1", "new");
  const busy = await connected("10.0.0.1", "busy");
  const idle = await connected("10.0.0.1", "idle");
  const waiting = await connect("10.0.0.1");
  vi.advanceTimersByTime(3500);
  expect([fresh.socket, busy.socket, waiting].every(({ destroyed }) => destroyed)).toBe(true);
  vi.advanceTimersByTime(90_000);
  expect(idle.socket.destroyed).toBe(false);
  vi.advanceTimersByTime(10_000);
  expect(idle.socket.destroyed).toBe(true);
  expect(closed).toEqual(["overdue", "overdue", "overdue", "overdue"]);
  // The kernel keeps nothing of what they have not read.
  expect(reset).toBe(4);
});

it("does not reset a connection that shuts down, which Node would leave open", async () => {
  const connection = await connected("10.0.0.1", "busy");
  connection.secure = { writableEnded: true, writableFinished: false } as TLSSocket;
  vi.advanceTimersByTime(3500);
  expect([closed, reset, connection.socket.destroyed]).toEqual([["overdue"], 0, true]);
});

it("lets a connection stay until it was written a quarter of a megabyte, read or not", async () => {
  const connection = await connected("10.0.0.1", "busy");
  const written = [0, 255, 256].map((kilobytes) => {
    Object.assign(connection.socket, { bytesWritten: kilobytes * 1024 });
    return connections.mayStay(connection);
  });
  expect(written).toEqual([true, true, false]);
});

it("allows an address 16 handshakes at a time; its others wait, other addresses do not", async () => {
  const sockets: Socket[] = [];
  for (let i = 0; i < 20; i++) sockets.push(await connect("10.9.0.1"));
  expect(started).toEqual(sockets.slice(0, 16));
  const other = await connect("10.0.0.1");
  expect(started.at(-1)).toBe(other);
  const done = sockets[0] && connections.of(sockets[0]);
  if (done) connections.change(done, "new");
  sockets[1]?.destroy();
  await passes();
  await passes();
  expect(started.slice(-2)).toEqual(sockets.slice(16, 18));
});

it("drops the largest body of the address that holds most, if memory runs out", async () => {
  const api = await connected("10.0.0.1", "busy");
  connections.hold(api, 3 * megabyte);
  const many = await connectMany(30, "10.9.0.1", "busy");
  for (const [i, one] of many.entries()) connections.hold(one, (i === 7 ? 3 : 2) * megabyte);
  expect(closed).toEqual([]);
  connections.hold(api, megabyte / 2);
  expect({ closed, largest: many[7]?.socket.destroyed }).toEqual({ closed: ["heaviest"], largest: true });
  // What it held is not free yet.
  connections.hold(api, megabyte / 2);
  expect({ closed, api: api.socket.destroyed }).toEqual({ closed: ["heaviest", "heaviest"], api: false });
});

it.each([
  ["whose address holds little", 1024],
  ["who holds nothing", 0],
])("closes nobody %s if memory runs out", async (_who, bytes) => {
  const api = await connected("10.0.0.1", "busy");
  const gone = await connectMany(30, "10.9.0.1", "busy");
  for (const { socket } of gone) socket.destroy();
  for (const one of gone) connections.hold(one, 3 * megabyte);
  connections.hold(api, bytes);
  expect([closed, api.socket.destroyed]).toEqual([[], false]);
});

it("counts a body while it waits or is worked on, and drops one that waits with its client", async () => {
  const [waiting, worked] = [await connected("10.9.0.1", "busy"), await connected("10.9.0.1", "busy")];
  for (const one of [waiting, worked]) {
    connections.hold(one, 3 * megabyte);
    connections.keep(one, Buffer.alloc(1));
  }
  expect(connections.take(worked)).toEqual(Buffer.alloc(1));
  for (const one of [waiting, worked]) one.socket.destroy();
  await passes();
  expect([waiting.bytes, worked.bytes]).toEqual([0, 3 * megabyte]);
  expect(() => connections.take(waiting)).toThrow("disconnected");
  connections.release(worked);
  expect(worked.bytes).toBe(0);
});
