import { type Answer, encode, type Packet, RECURSION_DESIRED } from "dns-packet";
import { describe, expect, it } from "vitest";
import { replyTo } from "../../../src/agent/dns/reply-to";

const name = "registry.ns.svc.cluster.local";
const question = { type: "A", name } as const;
const query: Packet = { type: "query", id: 0x1234, flags: RECURSION_DESIRED, questions: [question] };
const right: Answer = { type: "A", name, ttl: 5, data: "10.0.0.1" };
const alias: Answer = { type: "CNAME", name, ttl: 5, data: "target.example" };

function replyWith(answers: Answer[], over: Partial<Packet> = {}): Buffer {
  return encode({ ...query, type: "response", answers, ...over });
}

/** A message with some of its bytes changed. */
function changed(message: Buffer, at: number, ...bytes: number[]): Buffer {
  return Buffer.concat([message.subarray(0, at), Buffer.from(bytes), message.subarray(at + bytes.length)]);
}

const good = replyWith([right]);
const endOfQuestion = encode(query).length;
/** `registry.ns` as one label of eleven bytes, at the beginning of a name. */
const dotted = [11, ...Buffer.from("registry.ns")];
const endOfOwner = endOfQuestion + name.length + 2;

describe("a reply is", () => {
  it.each([
    ["the answer", good],
    ["in another case", changed(good, 13, ...Buffer.from("REGISTRY"))],
    ["one that points at the name instead of repeating it", pointing([0xc0, 12])],
  ])("%s", (_what, message) => {
    expect(replyTo(query, message)?.answers).toMatchObject([{ type: "A", data: "10.0.0.1" }]);
  });

  it("what says that there is nothing", () => {
    expect(replyTo(query, replyWith([], { flags: 3 }))).toMatchObject({ rcode: "NXDOMAIN", answers: [] });
  });

  it("the answers for the name and for what it is an alias of", () => {
    const ofAlias: Answer = { ...right, name: "Target.example" };
    const ofAnother: Answer = { ...right, name: "other.example" };
    expect(replyTo(query, replyWith([ofAlias, ofAnother, alias]))?.answers).toMatchObject([ofAlias, alias]);
  });

  it("what a circle of aliases holds, once", () => {
    const back: Answer = { ...alias, name: "target.example", data: name };
    expect(replyTo(query, replyWith([alias, back]))?.answers).toHaveLength(2);
  });
});

describe("no reply is", () => {
  it.each([
    ["a message with another id", changed(good, 0, 0x12, 0x35)],
    ["a query", changed(good, 2, 0x01)],
    ["a reply to another opcode", changed(good, 2, 0x81 | (2 << 3))],
    ["one without a question", replyWith([right], { questions: [] })],
    ["one to a second question too", replyWith([right], { questions: [question, question] })],
    ["one to another name", replyWith([right], { questions: [{ ...question, name: `x${name}` }] })],
    ["one to another type", replyWith([right], { questions: [{ ...question, type: "AAAA" }] })],
    ["one to a question of class CH", changed(good, endOfQuestion - 1, 3)],
    ["one to a question with a dot within a label", changed(good, 12, ...dotted)],
    ["an answer of class CH", changed(good, endOfOwner + 3, 3)],
    ["an answer of class IN with the bit of multicast DNS", changed(good, endOfOwner + 2, 0x80)],
    ["an answer for a name with a dot within a label", changed(good, endOfQuestion, ...dotted)],
    [
      "an alias of a name with a dot within a label",
      changed(replyWith([alias]), endOfOwner + 10, 14, ...Buffer.from("target.example"), 0),
    ],
    ["an answer whose data are longer than it says", changed(replyWith([right, right]), endOfOwner + 8, 0, 1)],
    ["an answer whose name points at itself", pointing([0xc0, endOfQuestion])],
    ["one that ends within its answer", good.subarray(0, -1)],
    ["nothing", Buffer.alloc(0)],
  ])("%s", (_what, message) => expect(replyTo(query, message)).toBeUndefined());

  // The library takes four bytes of an address for granted: the next record begins elsewhere for it than for us.
  it("one whose next record, found by length, points at itself", () => {
    const two = replyWith([right, right]);
    const at = endOfOwner + 12;
    expect(replyTo(query, changed(changed(two, endOfOwner + 8, 0, 2), at, 0xc0, at))).toBeUndefined();
  });
});

/** The answer, whose owner has other bytes. */
function pointing(owner: number[]): Buffer {
  return Buffer.concat([good.subarray(0, endOfQuestion), Buffer.from(owner), good.subarray(endOfOwner)]);
}
