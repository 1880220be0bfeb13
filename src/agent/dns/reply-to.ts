import * as dns from "dns-packet";
import { canonicalName } from "../../model/syntax/names";

export type Reply = dns.DecodedPacket & { readonly rcode: string };

/** The reply to a query; undefined if it is anything else. Its answers are those for the name, or for its alias. */
export function replyTo(query: dns.Packet, message: Buffer): Reply | undefined {
  try {
    const reply = dns.decode(message);
    const { answers = [] } = reply;
    const [asked] = query.questions ?? [];
    if (!asked || !isReplyTo(query, message, answers.length)) return undefined;
    return { ...(reply as Reply), answers: answersOf(asked.name, answers) };
  } catch {
    return undefined; // it ends too early, for the library or for us
  }
}

const headerLength = 12;

/** Compares bytes: a name as text does not say where its labels end, and the library drops bits of a class. */
function isReplyTo({ id, questions }: dns.Packet, message: Buffer, answers: number): boolean {
  const question = dns.encode({ questions }).subarray(headerLength);
  const echoed = message.subarray(headerLength, headerLength + question.length);
  return (
    message.readUInt16BE() === id &&
    (message.readUInt16BE(2) & 0xf800) === 0x8000 && // a response, opcode QUERY
    message.readUInt16BE(4) === 1 && // one question
    lowerCase(echoed) === lowerCase(question) &&
    // Not left out one by one: the rest would say that there are no more.
    areSound(message, headerLength + question.length, answers)
  );
}

function lowerCase(bytes: Buffer): string {
  return bytes.toString("latin1").replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

const classIn = 1;
const typeCname = 5;

/** Whether all answers are of class IN, and no dot is within a label of an owner or of an alias's target. */
function areSound(message: Buffer, offset: number, answers: number): boolean {
  for (let i = 0; i < answers; i++) {
    const owner = nameAt(message, offset);
    const data = owner.end + 10;
    if (owner.hasDottedLabel || message.readUInt16BE(owner.end + 2) !== classIn) return false;
    if (message.readUInt16BE(owner.end) === typeCname && nameAt(message, data).hasDottedLabel) return false;
    offset = data + message.readUInt16BE(data - 2);
  }
  return offset <= message.length;
}

/** A name, whose pointers lead back, so that it ends. */
function nameAt(message: Buffer, start: number): { readonly hasDottedLabel: boolean; readonly end: number } {
  let offset = start;
  let first = start;
  let end: number | undefined;
  let hasDottedLabel = false;
  for (let length = message.readUInt8(offset); length > 0; length = message.readUInt8(offset)) {
    if (length < 0xc0) {
      hasDottedLabel ||= message.subarray(offset + 1, offset + 1 + length).includes(".");
      offset += 1 + length;
    } else {
      end ??= offset + 2;
      offset = message.readUInt16BE(offset) & 0x3fff;
      if (offset >= first) throw new RangeError("a pointer that does not lead back");
      first = offset;
    }
  }
  return { hasDottedLabel, end: end ?? offset + 1 };
}

/** More than resolvers follow; a circle of aliases ends here. */
const maxAliases = 16;

function answersOf(name: string, answers: readonly dns.Answer[]): dns.Answer[] {
  const owners = [name];
  for (const owner of owners) {
    const alias = answers.find((answer) => answer.type === "CNAME" && sameName(answer.name, owner));
    if (alias?.type === "CNAME" && owners.length <= maxAliases) owners.push(alias.data);
  }
  return answers.filter((answer) => owners.some((owner) => sameName(answer.name, owner)));
}

function sameName(a: string, b: string): boolean {
  return a === b || canonicalName(a) === canonicalName(b);
}
