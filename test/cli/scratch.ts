import { spawnSync, type SpawnSyncOptions } from "node:child_process";
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect } from "vitest";
import { type Command, runCommand } from "../../src/cli/command";
import { completionCommand } from "../../src/cli/completion";
import { command as diff } from "../../src/cli/diff";
import { command as doctor } from "../../src/cli/doctor";
import { command as explain } from "../../src/cli/explain";
import { command as init } from "../../src/cli/init";
import { command as leave } from "../../src/cli/leave";
import { command as preflight } from "../../src/cli/preflight";
import { command as synth } from "../../src/cli/synth";
import { cli, root } from "../repository";
import { inProcess, inProcessLater, type Surroundings } from "./in-process";
import { putFile, temporaryFolder } from "../temporary-folder";

const theirs: { readonly [name: string]: Command } = { synth, diff, explain, preflight, doctor, init, leave };
const completion = completionCommand(
  Object.fromEntries(Object.entries(theirs).map(([name, command]) => [name, () => Promise.resolve({ command })])),
);
const commands: typeof theirs = { ...theirs, completion };

/** The outcome of running `cluster-dns`. */
export interface Run {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const told = (text: unknown): unknown => (text instanceof RegExp ? expect.stringMatching(text) : text);
/** The outcome of a command that says only what is wrong. */
export const refusal = (stderr: unknown, exitCode = 1) => ({ exitCode, stdout: "", stderr: told(stderr) });
/** That of a command that finds nothing wrong. */
export const success = (stdout: unknown) => ({ exitCode: 0, stdout: told(stdout), stderr: "" });
export const part = (text: string): unknown => expect.stringContaining(text);

/** A user's folder with `cluster-dns` installed. */
export class Scratch {
  /** It is removed after the tests of the file. */
  readonly folder = temporaryFolder("cluster-dns");
  private isBundled = false;

  constructor() {
    this.begin();
  }

  /** One that is new before each test. @param like Whose files it has, too. */
  static forEach(like?: Scratch): Scratch {
    const scratch = new Scratch();
    beforeEach(() => scratch.begin(like));
    return scratch;
  }

  private begin(like?: Scratch): void {
    rmSync(this.folder, { recursive: true, force: true });
    this.isBundled = false;
    if (like) cpSync(like.folder, this.folder, { recursive: true });
    else
      for (const file of ["package.json", "clusters/schema.json"])
        cpSync(join(root, file), join(this.folder, "node_modules/cdk8s-cluster-dns", file));
  }

  /** The bundle as shipped: copied where somebody runs it. */
  get cli(): string {
    const path = join(this.folder, "node_modules/cdk8s-cluster-dns/lib/cli/main.js");
    if (!this.isBundled) cpSync(dirname(cli), dirname(path), { recursive: true });
    this.isBundled = true;
    return path;
  }

  /** In this process: a tenth of the work. */
  run(...args: string[]): Run {
    return this.runWith({}, ...args);
  }

  /** Likewise, in other surroundings: with an input, an environment, or a function for the programs that it calls. */
  runWith(more: Omit<Surroundings, "folder">, ...[name = "", ...rest]: string[]): Run {
    return inProcess({ folder: this.folder, ...more }, () => runCommand(name, commandOf(name), rest));
  }

  /** Likewise, a command that waits for something. */
  runLater(environment: { readonly [name: string]: string }, ...[name = "", ...rest]: string[]): Promise<Run> {
    const surroundings = { folder: this.folder, environment };
    return inProcessLater(surroundings, () => runCommand(name, commandOf(name), rest));
  }

  /** As a process of its own, from the bundle as shipped. */
  runBundle(...args: string[]): Run {
    return this.runBundleWith({}, ...args);
  }

  runBundleWith(environment: { readonly [name: string]: string }, ...args: string[]): Run {
    return this.spawn({ env: { ...process.env, ...environment } }, ...args);
  }

  /** As a user who cannot write to a read-only folder, unlike root. */
  runAsNobody(...args: string[]): Run {
    return this.spawn(process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}, ...args);
  }

  spawn(options: SpawnSyncOptions, ...args: string[]): Run {
    const run = spawnSync(process.execPath, [this.cli, ...args], { cwd: this.folder, ...options, encoding: "utf8" });
    return { exitCode: run.status, stdout: run.stdout, stderr: run.stderr };
  }

  write(path: string, contents: string | Uint8Array): void {
    putFile(this.folder, path, contents);
  }

  /** Writes a program, and returns where it is found. */
  writeProgram(name: string, script: string): { PATH: string } {
    this.write(`bin/${name}`, script);
    chmodSync(join(this.folder, "bin", name), 0o755);
    return { PATH: `${join(this.folder, "bin")}:${process.env["PATH"] ?? ""}` };
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  /** Every file under a folder, with its contents and its time. */
  snapshot(folder: string): { [path: string]: string } {
    const paths = readdirSync(join(this.folder, folder), { recursive: true, encoding: "utf8" }).sort();
    return Object.fromEntries(
      paths.map((path) => {
        const stats = statSync(join(this.folder, folder, path));
        return [path, stats.isFile() ? `${stats.mtimeMs} ${this.read(join(folder, path))}` : `${stats.mtimeMs}`];
      }),
    );
  }
}

function commandOf(name: string): Command {
  const command = commands[name];
  if (!command) throw new Error(`${name} is not among the commands that run in this process`);
  return command;
}
