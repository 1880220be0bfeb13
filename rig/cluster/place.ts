import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt, run, type Finished, type RunOptions } from "../run";
import { until } from "../until";
import { inCgroup, makeCgroup } from "./cgroups";

interface Daemon {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Go's programs collect garbage less often: there is memory enough, and it saves a fifth of the processor time. */
const collectRarely = { GOGC: "400" };

/**
 * Where programs run: the control plane's network namespace, or the namespaces of a node. Everything started in a place
 * runs in its cgroup, by which it is found and ended.
 */
export class Place {
  /**
   * @param folder Logs and pid files, at the same path inside and outside.
   * @param enter The command that enters the namespaces, asked each time because a node's change when it boots.
   */
  constructor(
    readonly cgroup: string,
    readonly folder: string,
    private readonly enter: () => readonly string[],
  ) {}

  prepare(): void {
    mkdirSync(this.folder, { recursive: true });
    makeCgroup(this.cgroup);
  }

  /** Runs a command, which must succeed, and returns its output. */
  async exec(argv: readonly string[], options?: RunOptions): Promise<string> {
    return run(this.command(argv), withDefaults(options));
  }

  /** Runs a command that may fail. */
  async attempt(argv: readonly string[], options?: RunOptions): Promise<Finished> {
    return attempt(this.command(argv), withDefaults(options));
  }

  /** The command as this process can run it. */
  command(argv: readonly string[]): string[] {
    return inCgroup(this.cgroup, [...this.enter(), ...argv]);
  }

  /** Starts a daemon, which outlives this process. */
  start(service: string, argv: readonly string[], env: NodeJS.ProcessEnv = {}): void {
    const recordPid = 'echo $$ > "$1"; shift; exec "$@"';
    writeFileSync(this.file(service, "command"), JSON.stringify({ argv, env } satisfies Daemon));
    rmSync(this.file(service, "pid"), { force: true });
    const log = openSync(this.file(service, "log"), "a");
    const [command = "", ...args] = this.command(["sh", "-c", recordPid, "sh", this.file(service, "pid"), ...argv]);
    spawn(command, args, {
      detached: true,
      stdio: ["ignore", log, log],
      env: { ...process.env, ...collectRarely, ...env },
    }).unref();
    closeSync(log);
  }

  /** Starts a daemon again with its last command. */
  startAgain(service: string): void {
    const { argv, env } = this.daemon(service);
    this.start(service, argv, env);
  }

  /** Stops a daemon and waits until it is gone. */
  async stop(service: string, signal: "TERM" | "KILL" = "TERM"): Promise<void> {
    const [program = ""] = this.daemon(service).argv;
    const pid = readFileSync(this.file(service, "pid"), "utf8").trim();
    // Another program may have got its pid by now. A process whose first thread has ended shows no program, but its
    // other threads still hold its ports.
    const isOurs = `
      program=$(readlink "/proc/$1/exe")
      [ -z "$program" ] || [ "$program" = "$2" ] || exit 1
      grep -qs '^State:[[:space:]]*[^XZ[:space:]]' "/proc/$1"/task/*/status`;
    const isRunning = () => this.attempt(["sh", "-c", isOurs, "sh", pid, program]).then(({ code }) => code === 0);
    if (!(await isRunning())) return;
    await this.attempt(["kill", `-${signal}`, pid]);
    await until(`the end of ${service}`, 30, async () => !(await isRunning()), 100);
  }

  async restart(service: string): Promise<void> {
    await this.stop(service);
    this.startAgain(service);
  }

  /** Waits for a daemon that was started; an error has the end of its log. */
  untilUp(
    service: string,
    seconds: number,
    probe: () => Promise<boolean>,
    { what = service, everyMs = 250 }: { readonly what?: string; readonly everyMs?: number } = {},
  ): Promise<boolean> {
    return until(what, seconds, probe, everyMs, () => this.log(service));
  }

  log(service: string): string {
    return readFileSync(this.file(service, "log"), "utf8");
  }

  private daemon(service: string): Daemon {
    return JSON.parse(readFileSync(this.file(service, "command"), "utf8")) as Daemon;
  }

  private file(service: string, kind: "command" | "log" | "pid"): string {
    return join(this.folder, `${service}.${kind}`);
  }
}

function withDefaults(options: RunOptions = {}): RunOptions {
  return { ...options, env: { ...collectRarely, ...options.env } };
}
