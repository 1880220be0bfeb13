import { spawn } from "node:child_process";

/** A command that failed, or that the kernel refused. */
export class CommandError extends Error {
  constructor(
    readonly command: string,
    readonly stderr: string,
    readonly reason: string,
  ) {
    super(`${command}: ${stderr.trim().split("\n")[0] || reason}`);
  }
}

/** Runs a command and returns what it printed. It is killed after 15 s: only one that waits for a lock takes even a tenth of that. */
export function run(command: string, args: readonly string[], input = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], timeout: 15_000, killSignal: "SIGKILL" });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    const text = [command, ...args].join(" ");
    child.once("error", (error) => reject(new CommandError(text, "", error.message)));
    child.once("close", (code, signal) => {
      if (code === 0) resolve(Buffer.concat(out).toString());
      else
        reject(
          new CommandError(text, Buffer.concat(err).toString(), signal ? `stopped by ${signal}` : `exit code ${code}`),
        );
    });
    // A command that ends before it has read everything says why on stderr.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}
