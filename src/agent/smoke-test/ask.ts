import type { Answer } from "dns-packet";
import { answerWithinSeconds } from "../../model/smoke-test/answer-within";
import type { About, SmokeTestQuestion } from "../../model/smoke-test/smoke-test-config";
import { canonicalAddress, parseServer } from "../../model/syntax/addresses";
import { canonicalName } from "../../model/syntax/names";
import type { Protocol } from "../../model/packet-rules/listener";
import { exchange, unfragmented } from "../dns/exchange";

const timeoutMs = 1000 * answerWithinSeconds;

/** A server and a protocol, each of which may fail alone. */
export interface Way {
  readonly server: string;
  readonly protocol: Protocol;
}

/** A question, about more than the configuration knows. */
export interface Question extends Omit<SmokeTestQuestion, "about" | "type"> {
  readonly about: About | "own-pod" | "search-list" | "cache";
  readonly type: SmokeTestQuestion["type"] | "TXT";
}

export interface Asked {
  readonly way: Way;
  readonly question: Question;
  readonly got: string;
  readonly expected: string;
  readonly isRight: boolean;
  /** Undefined if nothing answered. */
  readonly rcode: string | undefined;
  readonly data: readonly string[];
}

export async function ask(way: Way, question: Question): Promise<Asked> {
  const { name, type } = question;
  const server = parseServer(way.server) ?? { address: way.server };
  const { protocol } = way;
  const more = protocol === "udp" ? { udpPayloadSize: unfragmented } : {};
  const query = { name, type, server, timeoutMs };
  const first = await exchange({ ...query, protocol, ...more });
  // As a resolver does with an answer that is too large for UDP.
  const outcome = first.kind === "truncated" ? await exchange({ ...query, protocol: "tcp" }) : first;
  const expected = expectation(question);
  if (outcome.kind !== "answer")
    return { way, question, got: outcome.why, expected, isRight: false, rcode: undefined, data: [] };
  const { rcode, answers = [] } = outcome.reply;
  const data = answers.filter((answer) => answer.type === type).map(text);
  const got = [rcode, ...data].join(" ");
  return { way, question, got, expected, isRight: isRight(question, rcode, data), rcode, data };
}

/** The pod whose cache answers; a resolver outside may have a record for any name. */
export function cachePod(data: readonly string[]): string | undefined {
  return /\bpod=(\S+)/.exec(data.join(" "))?.[1];
}

function isRight({ about, expect, data: wanted }: Question, rcode: string, data: readonly string[]): boolean {
  switch (expect) {
    case "records":
      if (about === "cache" && cachePod(data) === undefined) return false;
      return rcode === "NOERROR" && data.length > 0 && (!wanted || sorted(data) === sorted(wanted));
    case "exists":
      return rcode === "NOERROR";
    case "absent":
      return rcode === "NXDOMAIN";
    case "answered":
      return rcode !== "SERVFAIL" && rcode !== "REFUSED";
  }
}

function expectation({ expect, type, data }: Question): string {
  switch (expect) {
    case "records":
      return `NOERROR ${data?.join(" ") ?? type}`;
    case "exists":
      return "NOERROR";
    case "absent":
      return "NXDOMAIN";
    case "answered":
      return "any answer but SERVFAIL and REFUSED";
  }
}

function sorted(data: readonly string[]): string {
  return data.toSorted().join(" ");
}

function text(answer: Answer): string {
  switch (answer.type) {
    case "A":
    case "AAAA":
      return canonicalAddress(answer.data);
    case "PTR":
      return canonicalName(answer.data);
    case "SRV":
      return `${answer.data.port} ${canonicalName(answer.data.target)}`;
    case "TXT":
      return [answer.data].flat().map(String).join(" ");
    case "SOA":
      return canonicalName(answer.data.mname);
    default:
      return answer.type;
  }
}
