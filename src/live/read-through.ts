import { type Agent, request } from "node:http";
import { reason } from "../config/reason";
import { statusMessage } from "../model/kubernetes/status";

/** The text at a path of the API server, or why there is none, with the status of its answer. */
export type Answer = { readonly text: string } | { readonly failure: string; readonly status?: number };

/** Asks for a path through the socket of a `kubectl proxy`. */
export function readThrough(socketPath: string, agent: Agent, path: string, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    const headers = { host: "localhost", accept: "application/json, */*" };
    const asked = request({ socketPath, path, agent, headers, timeout: timeoutMs }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", (error) => resolve({ failure: reason(error) }));
      response.on("end", () => resolve(answerOf(chunks, response.statusCode)));
    });
    asked.on("timeout", () => asked.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    asked.on("error", (error) => resolve({ failure: error.message }));
    asked.end();
  });
}

function answerOf(chunks: readonly Buffer[], status: number | undefined): Answer {
  try {
    const text = Buffer.concat(chunks).toString("utf8");
    return status === 200 ? { text } : { failure: messageOf(text, status), ...(status !== undefined && { status }) };
  } catch (error) {
    // More than Node has in one text: some 512 MB, the pods of thousands of nodes.
    return { failure: reason(error) };
  }
}

/** The message of the API server's Status, or whatever else answered. */
function messageOf(text: string, status = 0): string {
  const message = statusMessage(text);
  if (message !== undefined) return message;
  const first = text.trim().split("\n")[0]?.slice(0, 300) ?? "";
  return status === 500 && notReached.test(first) ? first : `${first} (HTTP ${status})`.trim();
}

/** What `kubectl proxy` says, in Go's words and with a status of its own, if it does not get through to the API server. */
const notReached =
  /^(?:(?:dial|read|write) (?:tcp|udp)\b|(?:tls|x509|net\/http|http2|remote error|getting credentials): |(?:unexpected )?EOF$)/;
