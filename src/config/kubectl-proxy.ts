import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { reason } from "./reason";

/** The text at a path of the API server, or why there is none. */
export type Read = (path: string) => Promise<{ readonly text: string } | { readonly failure: string }>;

/** Kubelets and pods that do not answer hold up nobody for longer. */
const timeoutMs = 15_000;

/** It asks nobody before it listens. */
const startMs = 60_000;

/** At once, as many as a browser's tab or two would. */
const connections = 16;

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
  const args = [
    ...(context === undefined ? [] : ["--context", context]),
    "proxy",
    `--unix-socket=${socketPath}`,
    "--reject-methods=^(POST|PUT|PATCH|DELETE)$",
  ];
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
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  try {
    await started(proxy, `kubectl ${args.join(" ")}`, patience);
    return await work((path) => get(path, socketPath, agent));
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
      reject(new Error(`${called}: ${said.trim() || otherwise}`));
    };
    const timer = setTimeout(() => fail(`does not start within ${patience / 1000} s`), patience);
    program.stderr.on("data", (data: Buffer) => (said += data.toString()));
    program.stdout.once("data", () => {
      clearTimeout(timer);
      resolve();
    });
    program.once("error", (error) => fail(reason(error)));
    program.once("exit", (code) => fail(`ended with exit code ${code}`));
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

function get(path: string, socketPath: string, agent: Agent): ReturnType<Read> {
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

function answerOf(chunks: readonly Buffer[], status: number | undefined): Awaited<ReturnType<Read>> {
  try {
    const text = Buffer.concat(chunks).toString("utf8");
    return status === 200 ? { text } : { failure: messageOf(text, status) };
  } catch (error) {
    // More than Node has in one text: some 512 MB, the pods of thousands of nodes.
    return { failure: reason(error) };
  }
}

/** The message of the API server's Status, or whatever else answered. */
function messageOf(text: string, status = 0): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === "string") return message;
  } catch {
    // Not the API server itself.
  }
  return `${text.trim().split("\n")[0]?.slice(0, 300) ?? ""} (HTTP ${status})`.trim();
}
