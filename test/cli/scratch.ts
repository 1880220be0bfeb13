import { spawnSync, type SpawnSyncOptions } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cli, root } from "../repository";

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
    mkdirSync(dirname(this.cli), { recursive: true });
    cpSync(cli, this.cli);
    for (const file of ["package.json", "clusters/schema.json"])
      cpSync(join(root, file), join(this.folder, "node_modules/cdk8s-cluster-dns", file));
  }

  run(...args: string[]): Run {
    return this.spawn({}, ...args);
  }

  runWithInput(input: string, ...args: string[]): Run {
    return this.spawn({ input }, ...args);
  }

  runWith(environment: { readonly [name: string]: string }, ...args: string[]): Run {
    return this.spawn({ env: { ...process.env, ...environment } }, ...args);
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
