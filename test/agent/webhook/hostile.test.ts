import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { everything, podReview, response, review } from "./reviews";
import { flood, kernelBytes, nestedLists } from "../../../rig/admission/flood";
import { type Answered, serverName, WebhookProcess } from "../../../rig/admission/webhook-process";

let webhook: WebhookProcess;
const megabyte = 1024 * 1024;
/** A review whose answer has the option, too. */
const longAnswer = podReview({ spec: { dnsConfig: { options: [{ name: "x".repeat(20 * 1024) }] } } });

beforeAll(async () => {
  webhook = await WebhookProcess.start(everything);
});
afterAll(() => webhook?.stop());

/**
 * The answer, once the machine has time for it: after three seconds the webhook says so (503), or closes the connection.
 */
async function answered(...request: Parameters<WebhookProcess["post"]>): Promise<Answered> {
  let answer: Answered | undefined;
  await webhook.until("there is time for it", async () => {
    answer = await webhook.post(...request).catch(() => undefined);
    return answer !== undefined && answer.status !== 503;
  });
  return answer ?? { status: 0, text: "" };
}

async function stillAnswers(): Promise<void> {
  const { status, text } = await answered("/pods", podReview());
  const patch = [{ path: "/spec/dnsPolicy" }, { path: "/spec/dnsConfig" }];
  expect({ status, ...response(text) }).toMatchObject({ status: 200, allowed: true, patch });
  expect(webhook.child.exitCode).toBeNull();
}

function tls(options: object = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const to = { host: "127.0.0.1", port: webhook.port, servername: serverName, rejectUnauthorized: false };
    const socket = connect({ ...to, ...options }, () => resolve(socket));
    socket.once("error", reject);
  });
}

/** Everything received until the other side closes. */
async function all(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (data: Buffer) => (text += data.toString()));
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("close", resolve));
  return text;
}

/** What comes back on a connection of its own. */
async function told(...sent: string[]): Promise<string> {
  const socket = await tls();
  const answer = all(socket);
  for (const each of sent) socket.write(each);
  return answer;
}

/** A connection that has sent this, and has an answer or is closed. */
async function first(sent: string, localAddress?: string) {
  const socket = await tls({ localAddress });
  const closed = all(socket);
  socket.write(sent);
  await Promise.race([once(socket, "data"), closed]);
  return { socket, closed };
}

/** A request as it is sent. */
function post(path: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

const asked = post("/pods", JSON.stringify(podReview()));

it.each([
  ["no JSON", "/pods", "{", {}, 400],
  ["10 MiB", "/pods", "x".repeat(10 * megabyte), {}, 413],
  ["a form", "/pods", "a=b", { "content-type": "application/x-www-form-urlencoded" }, 415],
  ["no content type", "/pods", "{}", { "content-type": "" }, 415],
  ["another path", "/nothing", "{}", {}, 404],
  ["a path of JavaScript", "/__proto__", "{}", {}, 404],
  ["three megabytes of nesting", "/pods", "[".repeat(3 * megabyte), {}, 400],
])("answers %s with the right status", async (_name, path, body, headers, status) => {
  expect((await answered(path, body, { "content-type": "application/json", ...headers })).status).toBe(status);
  await stillAnswers();
});

it("accepts a review just under the limit", async () => {
  const big = podReview({ spec: {}, filler: "x".repeat(2.9 * megabyte) });
  expect((await answered("/pods", big)).status).toBe(200);
});

it("denies a change to a protected object if the review is too long to be read", async () => {
  const data = { Corefile: "x".repeat(4 * megabyte) };
  const change = review("ConfigMap", { operation: "UPDATE", namespace: "kube-system", object: { data } });
  // With keys in the order in which API servers write them.
  const { kind, apiVersion, request } = change as { [key: string]: unknown };
  const { status, text } = await answered("/protected-objects", { kind, apiVersion, request });
  expect({ status, ...response(text) }).toMatchObject({ status: 200, uid: "uid-1", allowed: false });
  await stillAnswers();
});

it("answers other clients while it parses long reviews", async () => {
  const filler = `[${"[],".repeat(95_000)}"${"x".repeat(2.5 * megabyte)}"]`;
  const long = JSON.stringify(podReview({ spec: {}, filler: "@" })).replace('"@"', filler);
  const sockets = await Promise.all([1, 2, 3].map(() => tls({ localAddress: "127.0.0.2" })));
  const answers: string[] = [];
  for (const socket of sockets)
    socket.once("data", (data: Buffer) => answers.push(data.toString())).write(post("/pods", long));
  let others = 0;
  for (; answers.length < 3; others++) await stillAnswers();
  // 503: it took too long on a busy machine.
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 (200|503) /);
  // On the event loop, one could be answered before each of the three.
  expect(others).toBeGreaterThan(4);
  sockets.forEach((socket) => socket.destroy());
});

it("serves other clients while one keeps connections open after one bad request each", async () => {
  const open = async () => {
    const { closed } = await first("GET /pods HTTP/1.1\r\nHost: x\r\n\r\n", "127.0.0.2");
    answers.push(closed);
  };
  const answers: Promise<string>[] = [];
  // 200 is the limit of an address.
  for (let i = 0; i < 220; i += 20) await Promise.allSettled(Array.from({ length: 20 }, open));
  webhook.forgetConnections();
  await stillAnswers();
  // None stays open. If the machine is too busy for a handshake, that ends early.
  expect(await Promise.all(answers)).toContainEqual(expect.stringMatching(/^HTTP\/1\.1 405 /));
});

const json = "POST /pods HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
it.each<[name: string, status: number, ...sent: string[]]>([
  ["no length", 411, `${json}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n`, "2\r\n{}\r\n0\r\n\r\n"],
  ["HTTP/1.0", 505, "POST /pods HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"],
  ["GET", 405, "GET /pods HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
  ["no HTTP", 400, "\0\0\0hello\r\n\r\n"],
  ["a head of 20 KiB", 431, `POST /pods HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`],
])("answers %s with %s", async (_name, status, ...sent) => {
  expect(await told(...sent)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  await stillAnswers();
});

it.each([
  ["without a host", "GET /pods HTTP/1.1\r\n\r\n", 405],
  ["that expect what nobody knows", asked.replace("\r\n", "\r\nExpect: x\r\n"), 200],
])("answers one of many requests at once %s", async (_name, sent, status) => {
  const { socket, closed } = await first(sent);
  socket.write(sent.repeat(3));
  expect((await closed).match(/^HTTP\/1\.1 \d+/gm)).toEqual([`HTTP/1.1 ${status}`]);
  await stillAnswers();
});

it.each(["Host: x", "Expect: 100-continue"])("survives reviews that wait for no answer, with %s", async (head) => {
  const sent = asked.replace("Host: x", head).repeat(500);
  for (let round = 0; round < 3; round++) {
    const sockets = await Promise.all(Array.from({ length: 10 }, () => tls({ localAddress: "127.0.0.2" })));
    const closed = sockets.map(all);
    sockets.forEach((socket) => socket.write(sent));
    await Promise.all(closed);
  }
  await stillAnswers();
  expect(webhook.log()).not.toContain("TypeError");
});

it("answers clients that ask again as soon as they have an answer", async () => {
  const asksAgain = async () => {
    const socket = await tls();
    const closed = all(socket);
    for (let i = 0; i < 100; i++) {
      const answer = once(socket, "data");
      socket.write(asked);
      const text = await Promise.race([answer.then(String), closed]);
      if (!text.startsWith("HTTP/1.1 200 ")) return text;
    }
    socket.destroy();
    return "all answered";
  };
  expect(await Promise.all([1, 2, 3, 4].map(asksAgain))).toEqual([1, 2, 3, 4].map(() => "all answered"));
});

it.each(["TLSv1.2", "TLSv1.1"] as const)("does not speak %s", async (version) => {
  await expect(tls({ minVersion: version, maxVersion: version, ciphers: "DEFAULT@SECLEVEL=0" })).rejects.toThrow(
    /protocol version|alert|unsupported|ECONNRESET/i,
  );
  await stillAnswers();
});

it("does not wait for slow heads, slow bodies or handshakes", async () => {
  const tcp = connectTcp(webhook.port, "127.0.0.1");
  const [head, body] = await Promise.all([tls(), tls()]);
  const answers = Promise.all([all(tcp), all(head), all(body)]);
  head.write("POST /pods HTTP/1.1\r\nHost: x\r\n");
  body.write(`${json}Content-Length: 1000\r\n\r\n{`);
  expect(await answers).toEqual(["", "", ""]);
  await stillAnswers();
});

it("does not read a body that arrives byte by byte", async () => {
  const body = "x".repeat(1000);
  expect(await told(post("/pods", body).slice(0, -1000), ...body)).not.toMatch(/^HTTP\/1\.1 200 /);
  await stillAnswers();
});

it("survives more connections and large bodies than it takes at a time, within its memory limit", async () => {
  const sockets: Socket[] = [];
  for (let i = 0; i < 700; i++) {
    const socket = connectTcp(webhook.port, "127.0.0.1");
    socket.on("error", () => undefined);
    sockets.push(socket);
  }
  const large = () => webhook.post("/pods", "x".repeat(2.9 * megabyte)).catch(() => ({ status: "closed" }));
  const bodies = await Promise.all(Array.from({ length: 30 }, large));
  for (const { status } of bodies) expect([400, 503, "closed"]).toContain(status);
  sockets.forEach((socket) => socket.destroy());
  // From the address of the flood, as soon as its connections are gone.
  await stillAnswers();
  // The memory limit of its container.
  expect(webhook.memoryBytes()).toBeLessThan(512 * megabyte);
});

// More than one connection is written.
it("answers all of many long answers to a client that reads", async () => {
  for (let i = 0; i < 12; i++) expect((await answered("/pods", longAnswer)).status).toBe(200);
});

it("keeps no answers of a client that does not read, and nor does the kernel", async () => {
  const socket = await tls({ localAddress: "127.0.0.3" });
  socket.on("error", () => undefined);
  for (let i = 0; i < 60 && !socket.destroyed; i++) {
    socket.write(post("/pods", JSON.stringify(longAnswer)));
    await sleep(20);
  }
  webhook.forgetConnections();
  let kept = Infinity;
  await webhook.until("its connection is closed", async () => {
    kept = kernelBytes(webhook.port);
    return kept === 0 && (await webhook.probe("/metrics")).includes("cluster_dns_webhook_connections 0\n");
  });
  expect(kept).toBe(0);
  socket.destroy();
});

it("lives and needs little memory while long reviews come, each on a connection that closes at once", async () => {
  let peakBytes = Infinity;
  await webhook.until("a review is sent whole", async () => {
    const report = await flood(webhook, nestedLists, 1);
    peakBytes = report.peakBytes;
    return report.sent > 0;
  });
  // Of the memory limit of its container.
  expect(peakBytes).toBeLessThan(0.8 * 512 * megabyte);
});

it("counts its answers, and does not fill the log with nonsense", async () => {
  const metrics = await webhook.probe("/metrics");
  expect(metrics).toMatch(/cluster_dns_webhook_requests_total\{path="\/pods",answer="patched"\} \d+/);
  expect(metrics).toMatch(/cluster_dns_webhook_requests_total\{path="other",answer="error_404"\} 2/);
  expect(metrics).toMatch(/cluster_dns_webhook_certificate_expiry_timestamp_seconds \d{10}/);
  expect(webhook.log().split("\n").length).toBeLessThan(80);
});
