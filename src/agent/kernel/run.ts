import { spawn } from "node:child_process";

export class CommandError extends Error {
  constructor(
    readonly command: string,
    readonly stderr: string,
    readonly reason: string,
  ) {
    super(`${command}: ${firstSentence(stderr) || reason}`);
  }
}

/** iptables-nft says who it is in a line of its own. */
function firstSentence(stderr: string): string {
  const [first = "", second = ""] = stderr.trim().split("\n");
  return /:\s*$/.test(first) ? `${first.trim()} ${second.trim()}` : first;
}

/** Commands take a tenth of this at most, unless another process holds a lock. */
const timeoutMs = 15_000;

/** Runs a command until it exits and returns its output. @throws CommandError */
export function run(
  command: string,
  args: readonly string[],
  input = "",
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const stdin = input === "" ? "ignore" : "pipe";
    const child = spawn(command, args, {
      stdio: [stdin, "pipe", "pipe"],
      env: { ...process.env, ...env },
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    const refuse = (reason: string) =>
      reject(new CommandError([command, ...args].join(" "), Buffer.concat(err).toString(), reason));
    child.once("error", (error) => refuse(error.message));
    // With no file descriptors left, it has no streams; the error event follows.
    child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => err.push(chunk));
    child.once("close", (code, signal) => {
      if (code === 0) resolve(Buffer.concat(out).toString());
      else refuse(signal ? `stopped by ${signal}` : `exit code ${code}`);
    });
    // A command that exits before it has read its input says why on stderr.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}
