import { spawn } from "node:child_process";

export interface RunOptions {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Ends what hangs. Default: 300. */
  readonly timeoutSeconds?: number;
}

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command and returns its output. If it fails, the error contains everything it printed. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<string> {
  const finished = await attempt(argv, options);
  if (finished.code === 0) return finished.stdout;
  const output = [finished.stderr, finished.stdout].map((text) => text.trim()).filter(Boolean);
  throw new Error([`exit code ${finished.code} of: ${argv.join(" ")}`, ...output].join("\n"));
}

/** Runs a command that may fail. */
export function attempt(
  argv: readonly string[],
  { input, cwd, env, timeoutSeconds = 300 }: RunOptions = {},
): Promise<Finished> {
  const [command, ...args] = argv;
  if (command === undefined) throw new Error("no command to run");
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      timeout: timeoutSeconds * 1000,
      killSignal: "SIGKILL",
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (data: Buffer) => stdout.push(data));
    child.stderr.on("data", (data: Buffer) => stderr.push(data));
    child.on("error", (error) => reject(new Error(`cannot run ${command}: ${error.message}`)));
    child.on("close", (code, signal) => {
      if (signal !== null) stderr.push(Buffer.from(`\nended by ${signal} (timeout: ${timeoutSeconds} seconds)`));
      resolve({
        code: code ?? 128,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
      });
    });
    child.stdin.on("error", () => undefined); // the command may not read its input
    child.stdin.end(input ?? "");
  });
}
