import { type Answer, encode } from "dns-packet";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DnsServer, type Reply } from "../../../rig/dns-server";
import { lookup } from "../../../src/agent/node-resolver/lookup";

const name = "registry.ns.svc.cluster.local";
const NXDOMAIN = { rcode: 3 };
const SERVFAIL = { rcode: 2 };

let server: DnsServer;
beforeAll(async () => {
  server = await new DnsServer(() => []).start();
});
afterAll(() => server.stop());
beforeEach(() => server.asked.splice(0));

async function ask(udp: Reply, tcp: Reply = SERVFAIL, family: "IPv4" | "IPv6" = "IPv4"): ReturnType<typeof lookup> {
  server.answer = (_question, transport) => (transport === "udp" ? udp : tcp);
  // Only where no reply comes does a test wait that long.
  const timeoutMs = udp === "silence" || "raw" in Object(udp) ? 1000 : 30_000;
  return lookup(`${name}.`, family, [{ address: "127.0.0.1", port: server.port }], timeoutMs);
}

describe("an answer is", () => {
  const records: Answer[] = [
    { type: "CNAME", name, data: "alias.example", ttl: 1 },
    { type: "CNAME", name: "Alias.example", data: "target.example", ttl: 1 },
    { type: "A", name: "target.example", data: "10.0.0.1", ttl: 1 },
    { type: "A", name: "other.example", data: "10.0.0.2", ttl: 1 },
    { type: "AAAA", name: "target.example", data: "fd00::1", ttl: 1 },
  ];
  const most = Array.from({ length: 32 }, (_, i) => `10.0.1.${i}`);
  it.each<[what: string, udp: Reply, answer: unknown, family?: "IPv6"]>([
    ["the addresses", ["10.0.0.1", "10.0.0.2"], ["10.0.0.1", "10.0.0.2"]],
    ["each address once, in one spelling", ["fd00:0:0::1", "fd00::1"], ["fd00::1"], "IPv6"],
    ["that the name does not exist", NXDOMAIN, "NXDOMAIN"],
    ["empty if it has no such record", [], []],
    ["the addresses of an alias's target, and nothing else", { records }, ["10.0.0.1"]],
    ["up to 32 addresses", most, most],
  ])("%s, over UDP", async (_what, udp, answer, family) => {
    expect(await ask(udp, SERVFAIL, family)).toEqual(answer);
    expect(server.asked).toEqual([`udp ${family ? "AAAA" : "A"} ${name}`]);
  });

  it.each<[what: string, udp: Reply]>([
    ["is truncated", "truncated"],
    ["does not arrive", "silence"],
    ["is a failure", SERVFAIL],
    ["is not DNS", { raw: Buffer.from("no DNS at all") }],
    ["answers another one", { raw: encode({ type: "response", id: 1, questions: [{ type: "A", name: "other" }] }) }],
    ["has an impossible address", ["127.0.0.1"]],
  ])("requested over TCP if the one over UDP %s", async (_what, udp) => {
    expect(await ask(udp, ["10.0.0.1"])).toEqual(["10.0.0.1"]);
    expect(server.asked).toEqual([`udp A ${name}`, `tcp A ${name}`]);
  });

  it("the next server's if the first does not answer", async () => {
    server.answer = () => ["10.0.0.1"];
    const nobody = await new DnsServer(() => []).start();
    nobody.stop();
    const servers = [nobody, server].map(({ port }) => ({ address: "127.0.0.1", port }));
    expect(await lookup(name, "IPv4", servers, 30_000)).toEqual(["10.0.0.1"]);
  });
});

describe("is not accepted as an answer:", () => {
  it.each<[what: string, reply: Reply, family: "IPv4" | "IPv6", message: string]>([
    ["loopback", ["10.0.0.1", "127.0.0.2"], "IPv4", "127.0.0.2 (loopback) is not an address"],
    ["loopback of IPv6", ["::1"], "IPv6", "::1 (loopback) is not an address"],
    ["loopback in disguise", ["::ffff:127.0.0.1"], "IPv6", "(ipv4Mapped) is not an address"],
    ["every address", ["0.0.0.0"], "IPv4", "0.0.0.0 (unspecified) is not an address"],
    ["multicast", ["224.0.0.1"], "IPv4", "224.0.0.1 (multicast) is not an address"],
    ["broadcast", ["255.255.255.255"], "IPv4", "(broadcast) is not an address"],
    ["link-local", ["fe80::1"], "IPv6", "fe80::1 (linkLocal) is not an address"],
    ["33 addresses", Array.from({ length: 33 }, (_, i) => `10.0.1.${i}`), "IPv4", "33 addresses, at most 32 are"],
    ["a failure", SERVFAIL, "IPv4", "answered SERVFAIL"],
    ["a refusal", { rcode: 5 }, "IPv4", "answered REFUSED"],
    ["silence", "silence", "IPv4", "no answer within 1000 ms"],
  ])("%s", (_what, reply, family, message) => expect(ask(reply, reply, family)).rejects.toThrow(message));

  it("the error names each server and transport", async () => {
    await expect(ask("truncated", { raw: Buffer.from("nonsense") })).rejects.toThrow(
      `A of ${name}.: 127.0.0.1 over UDP: truncated; 127.0.0.1 over TCP: an answer that is not DNS, or to another question`,
    );
  });
});

const question = { type: "A", name } as const;
const answers = [{ ...question, ttl: 5, data: "10.0.0.1" }];
const good = encode({ type: "response", id: 0, questions: [question], answers });
const mangled = fc
  .tuple(fc.nat(good.length - 1), fc.nat(255), fc.nat(good.length))
  .map(([at, byte, length]) => Buffer.from(good.map((old, i) => (i === at ? byte : old)).subarray(0, length)));
const random = fc.uint8Array({ maxLength: 600 }).map((array) => Buffer.from(array));

it("whatever a server sends either is an answer or is not, and never crashes the process", async () => {
  const isOneOrTheOther = fc.asyncProperty(fc.oneof(random, mangled), async (raw) => {
    const answer = await ask("truncated", { raw }).catch((error: unknown) => String(error));
    expect(typeof answer === "string" || answer.length <= 32).toBe(true);
  });
  await fc.assert(isOneOrTheOther, { numRuns: 200 });
});
