import type { ChildProcess } from "node:child_process";
import { encode } from "dns-packet";
import { familyOf } from "../../src/model/syntax/addresses";
import type { Namespace } from "./namespace";

/** A query that any DNS server answers. */
export const question = questionOf("sender.load.test");

/** Only a header, without the question that it announces. */
export const headerOnly = question.subarray(0, 12);

/** A query that the rest of the world never answers; with `numbered`, each for another name. */
export const unanswered = questionOf("000000.unanswered.test");

export interface Sending {
  readonly server: string;
  readonly source: string;
  readonly packet: Uint8Array;
  /** Packets a second: late ones are sent at once. */
  readonly rate: number;
  /** How many are sent at a time. @default 1 */
  readonly together?: number;
  /** Each packet's number takes the place of the name's first six digits. */
  readonly numbered?: boolean;
}

/** Sends a packet to port 53 repeatedly and reads nothing; exits with the namespace. */
export function startSender(
  from: Namespace,
  { server, source, packet, rate, together = 1, numbered = false }: Sending,
): ChildProcess {
  const script = `
    const packet = Buffer.from("${Buffer.from(packet).toString("hex")}", "hex");
    const socket = require("dgram").createSocket("${familyOf(source) === "IPv6" ? "udp6" : "udp4"}").on("error", () => {});
    let sent = 0;
    const start = performance.now();
    socket.bind(0, "${source}", () => setInterval(() => {
      for (const due = ((performance.now() - start) * ${rate}) / 1000; sent < due; sent++) {
        ${numbered ? 'packet.write(String(sent).padStart(6, "0"), 13);' : ""}
        socket.send(Buffer.from(packet), 53, "${server}");
      }
    }, ${Math.max(5, (1000 * together) / rate)}));
  `;
  return from.start([process.execPath, "-e", script]);
}

function questionOf(name: string): Buffer {
  return encode({ type: "query", id: 7, flags: 0x100, questions: [{ type: "A", name }] });
}
