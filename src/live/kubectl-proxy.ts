import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { inContext, withoutLog, whyNotRun } from "./kubectl";
import { reason } from "../config/reason";
import { readStatus } from "../model/kubernetes/status";

/** Asks the API server for a path. @param patience In milliseconds. */
export type Read = (path: string, patience?: number) => Promise<Answer>;

/** Pages that are read at once, as many as a browser's tab or two would. */
export const atOnce = 16;

/** Lists of a large cluster take the API server a while. */
const timeoutMs = 15_000;

/** What a program or a kubelet says begins at once, or it hangs. */
export const programMs = 5_000;

/** It asks nobody before it listens. */
const startMs = 60_000;

/**
 * Reads from the API server with the user's own rights, through one `kubectl proxy` that refuses whatever writes: a
 * kubectl for each page would take longer to start than the page. It listens in a folder that only this user may enter.
 * @param context Of the kubeconfig; its current one if undefined.
 * @throws Error if kubectl cannot start.
 */
export async function throughKubectl<T>(
  context: string | undefined,
  work: (read: Read) => Promise<T>,
  patience = startMs,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "cluster-dns-"));
  const socketPath = join(folder, "api");
  const proxied = ["proxy", `--unix-socket=${socketPath}`, "--reject-methods=^(POST|PUT|PATCH|DELETE)$"];
  const args = inContext(context, proxied);
  // In a group of its own: what is called kubectl may start another that does the work, as minikube does.
  const proxy = spawn("kubectl", args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  const end = () => {
    endAll(proxy);
    rmSync(folder, { recursive: true, force: true });
  };
  const interrupted = () => {
    end();
    process.exit(1);
  };
  for (const signal of signals) process.once(signal, interrupted);
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  try {
    await started(proxy, `kubectl ${inContext(context, ["proxy"]).join(" ")}`, patience);
    return await work((path, waits = timeoutMs) => readThrough(socketPath, agent, path, waits));
  } finally {
    agent.destroy();
    for (const signal of signals) process.off(signal, interrupted);
    end();
  }
}

type Program = ChildProcessByStdio<null, Readable, Readable>;

/** @throws Error if it ends, or does not say within the patience that it serves. */
function started(program: Program, called: string, patience: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    const fail = (otherwise: string) => {
      clearTimeout(timer);
      reject(new Error(`${called}: ${withoutLog(said) || otherwise}`));
    };
    const timer = setTimeout(() => fail(`does not start within ${patience / 1000} s`), patience);
    program.stderr.on("data", (data: Buffer) => (said += data.toString()));
    program.stdout.once("data", () => {
      clearTimeout(timer);
      resolve();
    });
    program.once("error", (error) => fail(whyNotRun(error, patience)));
    // Not at its exit: what it said may come after that.
    program.once("close", (code) => fail(`ended with exit code ${code}`));
  });
}

function endAll(program: Program): void {
  try {
    if (program.pid !== undefined) process.kill(-program.pid);
  } catch {
    // No such group: all of it has ended, or the system has none.
    program.kill();
  }
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** @property date By the API server's clock. */
export type Answer = { readonly text: string; readonly date?: string | undefined } | Failure;

export interface Failure {
  readonly failure: string;
  readonly status?: number;
  /** The name of the object that is not there. */
  readonly missing?: string;
}

/** Asks for a path through the socket of a `kubectl proxy`. */
export function readThrough(socketPath: string, agent: Agent, path: string, patience: number): Promise<Answer> {
  return new Promise((resolve) => {
    const headers = { host: "localhost", accept: "application/json, */*" };
    const asked = request({ socketPath, path, agent, headers, timeout: patience }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", (error) => resolve({ failure: reason(error) }));
      response.on("end", () => resolve(answerOf(chunks, response)));
    });
    asked.on("timeout", () => asked.destroy(new Error(`no answer within ${patience / 1000} s`)));
    asked.on("error", (error) => resolve({ failure: error.message }));
    asked.end();
  });
}

function answerOf(chunks: readonly Buffer[], { statusCode: status, headers: { date } }: IncomingMessage): Answer {
  try {
    const text = Buffer.concat(chunks).toString("utf8");
    if (status === 200) return { text, date };
    const { message = firstLine(text, status), ...of } = readStatus(text);
    return { failure: message, ...(status !== undefined && { status }), ...of };
  } catch (error) {
    // More than Node has in one text: some 512 MB, the pods of thousands of nodes.
    return { failure: reason(error) };
  }
}

/** What something else than the API server answered. */
function firstLine(text: string, status = 0): string {
  const first = text.trim().split("\n")[0]?.slice(0, 300) ?? "";
  return status === 500 && notReached.test(first) ? first : `${first} (HTTP ${status})`.trim();
}

/** What `kubectl proxy` says, in Go's words and with a status of its own, if it does not get through to the API server. */
const notReached =
  /^(?:(?:dial|read|write) (?:tcp|udp)\b|(?:tls|x509|net\/http|http2|remote error|getting credentials): |(?:unexpected )?EOF$)/;
