import { spawn } from "node:child_process";

/** A command that the kernel, or the command itself, refused. */
export class CommandError extends Error {
  constructor(
    readonly command: string,
    readonly stderr: string,
    readonly reason: string,
  ) {
    super(`${command}: ${stderr.trim().split("\n")[0] || reason}`);
  }
}

/** Runs a command to its end and gives what it printed. Longer than 15 s it is stopped: nothing here takes a tenth of that but a held lock. */
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
