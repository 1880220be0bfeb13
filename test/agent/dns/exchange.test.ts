import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { exchange, type Outcome, type Query } from "../../../src/agent/dns/exchange";
import { until } from "../../../rig/until";
import { DnsServer, type Reply } from "../../../rig/dns-server";

const name = "Health.example.";
const protocols = ["udp", "tcp"] as const;

let server: DnsServer;
beforeAll(async () => {
  server = await new DnsServer(() => []).start();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.answer = () => "silence";
});

/** Long, for a busy machine. */
function ask(over: Partial<Query> = {}): Promise<Outcome> {
  const at = { address: "127.0.0.1", port: server.port };
  return exchange({ name, type: "TXT", server: at, protocol: "udp", timeoutMs: 30_000, ...over });
}

/** Once the machine wakes this program up in time: otherwise it measures nothing. */
function unanswered(over: Partial<Query>, begin = () => {}): Promise<Outcome> {
  return until("a time-out in time", 10, async () => {
    begin();
    const outcome = await ask({ timeoutMs: 200, ...over });
    return outcome.kind === "unmeasured" ? undefined : outcome;
  });
}

function answering(reply: Reply): void {
  server.answer = () => reply;
}

describe.each(protocols)("over %s", (protocol) => {
  it("returns the reply, whatever its code", async () => {
    answering({ records: [{ type: "TXT", name: "health.example", ttl: 0, data: ["pod=a"] }] });
    const reply = { rcode: "NOERROR", answers: [{ data: [Buffer.from("pod=a")] }] };
    expect(await ask({ protocol, source: "127.0.0.2" })).toMatchObject({ kind: "answer", reply });
    answering({ rcode: 2 });
    expect(await ask({ protocol })).toMatchObject({ kind: "answer", reply: { rcode: "SERVFAIL" } });
  });

  it.each<[what: string, query: Partial<Query>, outcome: object]>([
    ["is refused if nothing listens", { server: { address: "127.0.0.1", port: 1 } }, { kind: "refused" }],
    // The kernel sends to all of a network only for who asks it to.
    ["is rejected if no route leads there", { server: { address: "255.255.255.255" } }, { isRejected: true }],
    ["is unmeasured if it cannot be sent", { source: "192.0.2.1" }, { why: expect.stringContaining("EADDRNOTAVAIL") }],
  ])("%s", async (_, query, outcome) => {
    expect(await ask({ protocol, ...query })).toMatchObject({ kind: "unmeasured", ...outcome });
  });

  it("is missed if no answer arrives, and reports once that it is late", async () => {
    let late = 0;
    const outcome = await unanswered({ protocol, late: { afterMs: 20, call: () => late++ } }, () => (late = 0));
    expect([outcome, late]).toEqual([{ kind: "missed", why: "no answer within 200 ms" }, 1]);
  });

  it("is not late if the answer arrives in time", async () => {
    answering([]);
    const wait = vi.fn<() => void>();
    const timers = vi.spyOn(globalThis, "clearTimeout");
    expect(await ask({ protocol, late: { afterMs: 5000, call: wait } })).toMatchObject({ kind: "answer" });
    expect([wait.mock.calls.length, timers.mock.calls.length]).toEqual([0, 2]);
    timers.mockRestore();
  });

  it("does not accept a message that is no reply to the query", async () => {
    answering({ raw: Buffer.from("no DNS at all") });
    expect(await unanswered({ protocol })).toMatchObject({ kind: "missed" });
  });
});

it("reports that an answer over UDP is truncated", async () => {
  answering("truncated");
  expect(await ask()).toMatchObject({ kind: "truncated" });
});

// A server in a thread of its own, which returns each query as a response while this thread is blocked.
const program = `
    const { parentPort, workerData } = require("node:worker_threads");
    const socket = require("node:dgram").createSocket("udp4");
    const wake = () => Atomics.store(workerData, 0, 1) && Atomics.notify(workerData, 0);
    socket.on("message", (message, { port, address }) => {
      parentPort.postMessage("asked");
      message[2] |= 0x80;
      const answer = () => (message.includes("silent") ? wake() : socket.send(message, port, address, wake));
      setTimeout(answer, 2500);
    });
    socket.bind(0, "127.0.0.1", () => parentPort.postMessage(socket.address().port));`;

it.each([
  ["an answer that arrived meanwhile counts", "answers.example", "answer"],
  ["a missing answer means nothing", "silent.example", "unmeasured"],
])("after not having been scheduled: %s", async (_what, asked, kind) => {
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(program, { eval: true, workerData: answered });
  try {
    const [port] = (await once(worker, "message")) as [number];
    worker.once("message", () => Atomics.wait(answered, 0, 0));
    const outcome = await ask({ name: asked, server: { address: "127.0.0.1", port }, timeoutMs: 1000 });
    expect(outcome).toMatchObject({ kind });
  } finally {
    await worker.terminate();
  }
});
