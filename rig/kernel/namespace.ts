import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A network namespace of our own, and what runs in it. */
export class Namespace {
  readonly name: string;
  private readonly children = new Set<ChildProcess>();

  constructor(role: string) {
    // Tests run beside other users of the machine's namespaces.
    this.name = `cdns-${role}-${randomBytes(3).toString("hex")}`;
    execFileSync("ip", ["netns", "add", this.name]);
    // Without duplicate address detection, IPv6 works at once.
    this.run("sysctl", ["-q", "-w", "net.ipv6.conf.all.accept_dad=0", "net.ipv6.conf.default.accept_dad=0"]);
    this.run("ip", ["link", "set", "lo", "up"]);
  }

  /** Runs to the end; throws with what it printed when it fails. */
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

  /** `ip` with the words of one line; fails when it fails. */
  ip(line: string): string {
    return this.run("ip", line.split(" "));
  }

  /** A command as this process can run it; `ip netns exec` becomes it, so its pid is the process's own. */
  command(argv: readonly string[]): string[] {
    // Before other work of the machine: what is measured is ours, not how busy it is otherwise.
    return ["ip", "netns", "exec", this.name, "nice", "-n", "-20", ...argv];
  }

  /** Starts a process that ends with the namespace. */
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

  // iptables-legacy locks one file for the whole machine unless told otherwise.
  get env(): NodeJS.ProcessEnv {
    return { ...process.env, XTABLES_LOCKFILE: this.lockFile };
  }

  get lockFile(): string {
    return join(tmpdir(), `${this.name}.xtables.lock`);
  }
}

/** Ends a process. @returns How long that took the kernel, and us to hear of it, in milliseconds. */
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
