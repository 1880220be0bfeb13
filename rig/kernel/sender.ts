import type { ChildProcess } from "node:child_process";
import { encode } from "dns-packet";
import type { Namespace } from "./namespace";

/** A query that any DNS server answers. */
export const question = encode({
  type: "query",
  id: 7,
  flags: 0x100,
  questions: [{ type: "A", name: "sender.load.test" }],
});

/** Only a header, without the question that it announces. */
export const headerOnly = question.subarray(0, 12);

/** Sends one packet to port 53 repeatedly and reads nothing; exits with the namespace. */
export function startSender(
  from: Namespace,
  { server, source, packet, rate }: { server: string; source: string; packet: Uint8Array; rate: number },
): ChildProcess {
  const script = `
    const packet = Buffer.from("${Buffer.from(packet).toString("hex")}", "hex");
    const socket = require("dgram").createSocket("udp4").on("error", () => {});
    socket.bind(0, "${source}", () => setInterval(() => socket.send(packet, 53, "${server}"), ${1000 / rate}));
  `;
  return from.start([process.execPath, "-e", script]);
}
