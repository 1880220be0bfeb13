import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { serverName, type WebhookProcess } from "./webhook-process";

const megabyte = 1024 * 1024;

/** What somebody sends who wants the webhook to run out of memory. */
export interface Flood {
  readonly name: string;
  readonly body: string;
  readonly connections: number;
  /** From which they come, in turn. */
  readonly addresses: number;
  /** Each sends its body and closes without waiting for the answer. */
  readonly closes: boolean;
  /** Each sends its body again and again without reading an answer. */
  readonly repeats?: boolean;
  /** How often each sends its body at once; once by default. */
  readonly atOnce?: number;
}

/** `[[[[...`: what parses it needs many times its size. */
export const nestedLists: Flood = {
  name: "nested lists, closed at once",
  body: nested("["),
  connections: 2,
  addresses: 1,
  closes: true,
};

export const floods: readonly Flood[] = [
  nestedLists,
  { name: "nested lists, left open", body: nested("["), connections: 24, addresses: 1, closes: false },
  { name: "nested objects, of many", body: nested('{"a":'), connections: 40, addresses: 20, closes: true },
  {
    name: "empty lists, closed at once",
    body: podReview("{}", list("[],")),
    connections: 4,
    addresses: 1,
    closes: true,
  },
  {
    name: "empty objects, left open",
    body: podReview("{}", list("{},")),
    connections: 24,
    addresses: 4,
    closes: false,
  },
  { name: "objects of different shapes", body: podReview("{}", shapes()), connections: 8, addresses: 2, closes: true },
  {
    name: "one long text, of many",
    body: podReview("{}", `"${"x".repeat(2.9 * megabyte)}"`),
    connections: 100,
    addresses: 20,
    closes: false,
  },
  {
    name: "nested lists in short reviews",
    body: nested("[", 127 * 1024),
    connections: 100,
    addresses: 4,
    closes: true,
  },
  {
    name: "answers that nobody reads",
    body: podReview(longOptions(2.9 * megabyte)),
    connections: 60,
    addresses: 6,
    closes: false,
  },
  {
    name: "many answers that nobody reads",
    body: podReview(longOptions(20 * 1024)),
    connections: 590,
    addresses: 6,
    closes: false,
    repeats: true,
  },
  {
    name: "many reviews at once",
    body: podReview("{}"),
    connections: 100,
    addresses: 4,
    closes: false,
    atOnce: 500,
  },
];

export interface FloodReport {
  /** Reviews sent whole. */
  readonly sent: number;
  /** The most memory that the process has had since it started. */
  readonly peakBytes: number;
  /** The most that the kernel has had for its connections during the flood: a container's limit counts that, too. */
  readonly kernelBytes: number;
}

/** Sends this for some time. It ends early if the webhook does. */
export async function flood(webhook: WebhookProcess, { body, ...how }: Flood, seconds: number): Promise<FloodReport> {
  const until = performance.now() + seconds * 1000;
  const review = `POST /pods HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const request = review.repeat(how.atOnce ?? 1);
  const going = () => performance.now() < until && webhook.child.exitCode === null && webhook.child.signalCode === null;
  let [sent, mostInKernel] = [0, 0];
  const watch = async () => {
    for (; going(); await sleep(250)) mostInKernel = Math.max(mostInKernel, kernelBytes(webhook.port));
  };
  const attack = async (address: string) => {
    while (going()) {
      const socket = await open(webhook.port, address);
      if (!socket) continue;
      const closed = new Promise((resolve) => socket.once("close", resolve));
      const written = new Promise((resolve) => socket.write(request, resolve));
      await Promise.race([written.then(() => sent++), closed, sleep(3000)]);
      if (!how.closes) await Promise.race([closed, sleep(how.repeats ? 500 : 3000)]);
      while (how.repeats && !socket.destroyed && going()) {
        socket.write(request, () => sent++);
        await Promise.race([closed, sleep(500)]);
      }
      socket.destroy();
    }
  };
  const attacks = Array.from({ length: how.connections }, (_, i) => attack(`127.0.1.${1 + (i % how.addresses)}`));
  await Promise.all([watch(), ...attacks]);
  return { sent, peakBytes: peakBytes(webhook), kernelBytes: mostInKernel };
}

function peakBytes({ child }: WebhookProcess): number {
  if (child.exitCode !== null || child.signalCode !== null) return Infinity;
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

/** What the kernel keeps for connections to this port, also for those that the program has closed. */
export function kernelBytes(port: number): number {
  let bytes = 0;
  for (const table of ["tcp", "tcp6"])
    for (const line of readFileSync(`/proc/net/${table}`, "latin1").split("\n").slice(1, -1)) {
      const [, local = "", , , queues = ""] = line.trim().split(/\s+/);
      if (Number.parseInt(local.split(":")[1] ?? "", 16) === port)
        for (const queue of queues.split(":")) bytes += Number.parseInt(queue, 16);
    }
  return bytes;
}

async function open(port: number, localAddress: string): Promise<TLSSocket | undefined> {
  const from: object = { localAddress };
  const socket = connect({ host: "127.0.0.1", port, servername: serverName, rejectUnauthorized: false, ...from });
  socket.on("error", () => undefined);
  const failed = new Promise<undefined>((resolve) =>
    socket.once("error", () => resolve(undefined)).once("close", () => resolve(undefined)),
  );
  const opened = await Promise.race([
    once(socket, "secureConnect").then(
      () => socket,
      () => undefined,
    ),
    failed,
  ]);
  if (!opened) {
    socket.destroy();
    await sleep(10);
  }
  return opened;
}

function nested(opening: string, length = 3 * megabyte): string {
  return opening.repeat(Math.floor(length / opening.length));
}

function list(item: string): string {
  return `[${item.repeat(Math.floor((2.9 * megabyte) / item.length))}0]`;
}

// Each has a hidden class of its own.
function shapes(): string {
  const items = Array.from({ length: 250_000 }, (_, i) => `{"${i.toString(36)}":0}`);
  return `[${items
    .join(",")
    .slice(0, 2.9 * megabyte)
    .replace(/,[^,]*$/, "")}]`;
}

// The answer has them, too.
function longOptions(length: number): string {
  return `{"dnsConfig":{"options":[{"name":"${"x".repeat(length)}"}]}}`;
}

/** A pod of namespace `bar`. */
export function podReview(spec: string, filler = "0"): string {
  const request = `"uid":"u","operation":"CREATE","namespace":"bar","kind":{"kind":"Pod"},"resource":{"resource":"pods"}`;
  return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{${request},"object":{"spec":${spec},"filler":${filler}}}}`;
}
