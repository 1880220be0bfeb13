import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A network namespace of our own, with its processes. */
export class Namespace {
  readonly name: string;
  private readonly children = new Set<ChildProcess>();

  constructor(role: string) {
    // Other users of the machine have namespaces, too.
    this.name = `cdns-${role}-${randomBytes(3).toString("hex")}`;
    execFileSync("ip", ["netns", "add", this.name]);
    // Without duplicate address detection, IPv6 works immediately.
    this.run("sysctl", ["-q", "-w", "net.ipv6.conf.all.accept_dad=0", "net.ipv6.conf.default.accept_dad=0"]);
    this.run("ip", ["link", "set", "lo", "up"]);
  }

  /** Runs a command until it exits; throws its output if it fails. */
  run(command: string, args: readonly string[], input?: string, env: NodeJS.ProcessEnv = {}): string {
    try {
      return execFileSync("/sbin/ip", ["netns", "exec", this.name, command, ...args], {
        encoding: "utf8",
        stdio: ["pipe", "pipe", "pipe"],
        env: { ...this.env, ...env },
        ...(input === undefined ? {} : { input }),
      });
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      throw Object.assign(error as Error, { message: `${command} ${args.join(" ")}: ${stdout}${stderr}` });
    }
  }

  /** Runs `ip` with the words of one line; throws if it fails. */
  ip(line: string): string {
    return this.run("ip", line.split(" "));
  }

  /** A command line that this process can run; `ip netns exec` execs it, so the pid is the command's own. */
  command(argv: readonly string[]): string[] {
    // Ahead of the machine's other work: we measure our programs, not how busy the machine is.
    return ["ip", "netns", "exec", this.name, "nice", "-n", "-20", ...argv];
  }

  /** Starts a process that exits with the namespace. */
  start(argv: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    const [command = "", ...args] = this.command(argv);
    const child = spawn(command, args, { env: { ...this.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    this.children.add(child);
    child.once("exit", () => this.children.delete(child));
    return child;
  }

  async remove(): Promise<void> {
    await Promise.all([...this.children].map((child) => stop(child, "SIGKILL")));
    execFileSync("ip", ["netns", "delete", this.name]);
  }

  // iptables-legacy locks one file for the whole machine unless configured otherwise.
  get env(): NodeJS.ProcessEnv {
    return { ...process.env, XTABLES_LOCKFILE: this.lockFile };
  }

  get lockFile(): string {
    return join(tmpdir(), `${this.name}.xtables.lock`);
  }
}

/** Kills a process. @returns How long it took to exit and us to notice, in milliseconds. */
export async function stop(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<number> {
  const started = performance.now();
  if (child.exitCode !== null || child.signalCode !== null) return 0;
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill(signal);
  await exited;
  return performance.now() - started;
}

/** Why the kernel tests cannot run here, or undefined. */
export function missingForKernelTests(): string | undefined {
  if (process.getuid?.() !== 0) return "root";
  const tools = ["ip", "nft", "iptables-legacy", "iptables-nft", "setpriv", "flock"];
  return tools.find((tool) => {
    try {
      execFileSync("sh", ["-c", `command -v ${tool}`], { stdio: "ignore" });
      return false;
    } catch {
      return true;
    }
  });
}
