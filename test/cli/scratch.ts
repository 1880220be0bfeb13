import { spawnSync, type SpawnSyncOptions } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Command, runCommand } from "../../src/cli/command";
import { command as diff } from "../../src/cli/diff";
import { command as explain } from "../../src/cli/explain";
import { command as preflight } from "../../src/cli/preflight";
import { command as synth } from "../../src/cli/synth";
import { cli, root } from "../repository";
import { inProcess, type Program } from "./in-process";

const commands: { readonly [name: string]: Command } = { diff, explain, preflight, synth };

/** The outcome of running `cluster-dns`. */
export interface Run {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A user's folder with `cluster-dns` installed. */
export class Scratch {
  readonly folder = mkdtempSync(join(tmpdir(), "cluster-dns-"));
  readonly cli = join(this.folder, "node_modules/cdk8s-cluster-dns/lib/cli/main.js");

  constructor() {
    cpSync(dirname(cli), dirname(this.cli), { recursive: true });
    for (const file of ["package.json", "clusters/schema.json"])
      cpSync(join(root, file), join(this.folder, "node_modules/cdk8s-cluster-dns", file));
  }

  /** In this process, if the command does not wait for anything: a tenth of the work. */
  run(...args: string[]): Run {
    return this.runWith({}, ...args);
  }

  /** Likewise, with a function for the programs that it calls. */
  runCalling(program: Program, ...[name = "", ...rest]: string[]): Run {
    const command = commands[name];
    if (!command) throw new Error(`${name} waits for something`);
    return inProcess(this.folder, {}, () => runCommand(name, command, rest), program);
  }

  /** As a process of its own, from the bundle as shipped. */
  runBundle(...args: string[]): Run {
    return this.runBundleWith({}, ...args);
  }

  runBundleWith(environment: { readonly [name: string]: string }, ...args: string[]): Run {
    return this.spawn({ env: { ...process.env, ...environment } }, ...args);
  }

  runWithInput(input: string, ...args: string[]): Run {
    return this.spawn({ input }, ...args);
  }

  runWith(environment: { readonly [name: string]: string }, ...args: string[]): Run {
    const [name = "", ...rest] = args;
    const command = commands[name];
    if (!command) return this.runBundleWith(environment, ...args);
    return inProcess(this.folder, environment, () => runCommand(name, command, rest));
  }

  runIn(folder: string, ...args: string[]): Run {
    return this.spawn({ cwd: join(this.folder, folder) }, ...args);
  }

  /** As a user who cannot write to a read-only folder, unlike root. */
  runAsNobody(...args: string[]): Run {
    return this.spawn(process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}, ...args);
  }

  private spawn(options: SpawnSyncOptions, ...args: string[]): Run {
    const run = spawnSync(process.execPath, [this.cli, ...args], { cwd: this.folder, ...options, encoding: "utf8" });
    return { exitCode: run.status, stdout: run.stdout, stderr: run.stderr };
  }

  write(path: string, contents: string | Uint8Array): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), contents);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  /** Every file under a folder, with its contents and its time. */
  snapshot(folder: string): { [path: string]: string } {
    const paths = readdirSync(join(this.folder, folder), { recursive: true, encoding: "utf8" }).sort();
    return Object.fromEntries(
      paths.map((path) => {
        const { mtimeMs } = statSync(join(this.folder, folder, path));
        return [
          path,
          statSync(join(this.folder, folder, path)).isFile()
            ? `${mtimeMs} ${this.read(join(folder, path))}`
            : `${mtimeMs}`,
        ];
      }),
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
