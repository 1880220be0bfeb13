import { parse } from "yaml";
import type { Finished, RunOptions } from "../../../rig/run";
import { expect } from "vitest";
import type { Cluster } from "../../../rig/cluster/cluster";
import type { Pod } from "../../../rig/cluster/pod";
import { eventually } from "../../eventually";
import { podsOf } from "./programs";

/** A server's answer. */
export interface DnsAnswer {
  /** `NOERROR`, `NXDOMAIN`, `SERVFAIL` ..., or `no answer`. */
  readonly status: string;
  /** `TYPE DATA` for each record, sorted, with names in the data as the server wrote them. */
  readonly answers: readonly string[];
}

export interface Question {
  readonly server: string;
  readonly name: string;
  /** Default: A. */
  readonly type?: string;
  /** How long to wait for each answer. Default: 10, so that a busy machine is not taken for silence. */
  readonly seconds?: number;
}

interface Asker {
  attempt(argv: readonly string[], options?: RunOptions): Promise<Finished>;
}

interface Message {
  readonly message?: {
    readonly response_message_data?: { readonly status: string; readonly ANSWER_SECTION?: readonly string[] };
  };
}

/** Queries once over UDP and once over TCP. */
export async function dig(
  from: Asker,
  { server, name, type = "A", seconds = 10 }: Question,
): Promise<{ udp: DnsAnswer; tcp: DnsAnswer }> {
  const question = [`@${server}`, name, type, "+tries=1", `+time=${seconds}`, "+noedns"];
  const { stdout } = await from.attempt(["dig", "+yaml", ...question, "+notcp", "+ignore", ...question, "+tcp"]);
  const [udp, tcp] = (parse(stdout) ?? []) as Message[];
  return { udp: answerOf(udp), tcp: answerOf(tcp) };
}

/** What `dig` finds where both answers have these records. */
export function answered(...answers: readonly string[]): { udp: DnsAnswer; tcp: DnsAnswer } {
  const answer = { status: "NOERROR", answers: answers.toSorted() };
  return { udp: answer, tcp: answer };
}

/** Whether both answers are good. */
export async function isAnswered(from: Asker, question: Question): Promise<boolean> {
  const { udp, tcp } = await dig(from, question);
  return udp.status === "NOERROR" && tcp.status === "NOERROR";
}

function answerOf(message: Message | undefined): DnsAnswer {
  const data = message?.message?.response_message_data;
  if (data === undefined) return { status: "no answer", answers: [] };
  return { status: data.status, answers: (data.ANSWER_SECTION ?? []).map(typeAndData).sort() };
}

/** From `NAME TTL CLASS TYPE DATA`. */
function typeAndData(record: string): string {
  return record.split(" ").slice(3).join(" ");
}

/**
 * Waits until each CoreDNS has heard of what was created: one answers before the other, and a cache keeps for a while that
 * a name does not exist.
 */
export async function knownToDns(
  cluster: Cluster,
  from: Pod,
  names: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  for (const { status } of await podsOf(cluster, "kube-dns"))
    for (const [name, answers] of Object.entries(names)) {
      const ask = () => dig(from, { server: status?.podIP ?? "", name });
      const answer = { status: "NOERROR", answers: answers.map((address) => `A ${address}`).toSorted() };
      await eventually(`${name} in each CoreDNS`, 60, ask, ({ udp }) => expect(udp).toEqual(answer));
    }
}
