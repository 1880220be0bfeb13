#!/usr/bin/env node
import { readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { incomplete } from "./own-file";

/** The hash of the commands' bundles; the build defines it. */
declare const hashOfCommands: string;

type Module = (own: object, load: NodeJS.Require, module: object, file: string, folder: string) => void;

/**
 * Runs the commands from V8's code cache of an earlier run: compiling them takes as long as synthesizing a cluster. The
 * cache is beside them, so whoever can write it can also write them; V8 refuses one of another version or other flags.
 * Node's own, `enableCompileCache`, lacks what is compiled only when it is called, which is most.
 */
function run(): void {
  const [, , command = ""] = process.argv;
  // Where npm links it, `node --preserve-symlinks-main` finds nothing beside it.
  const folder = dirname(realpathSync(__filename));
  const file = join(folder, command === "synth" ? "synth.js" : "commands.js");
  const code = read(file);
  if (code === undefined) return fail(`${file} cannot be read: ${incomplete}`);
  // Each command compiles other functions.
  const cache = /^[a-z]+$/.test(command)
    ? join(folder, `${command}-${hashOfCommands}-${process.version}-${process.platform}-${process.arch}.cache`)
    : undefined;
  const cachedData = cache === undefined ? undefined : read(cache);
  // The build leaves only ASCII, and wraps it as Node wraps a module.
  const script = new Script(code.toString("latin1"), { filename: file, cachedData });
  if (cache !== undefined && (cachedData === undefined || script.cachedDataRejected === true))
    process.on("exit", (exitCode) => {
      if (exitCode === 0) keep(cache, script.createCachedData());
    });
  (script.runInThisContext() as Module)({}, require, module, file, folder);
}

function fail(message: string): void {
  process.stderr.write(`cdk8s-cluster-dns: ${message}\n`);
  process.exitCode = 1;
}

function read(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Where the package's folder cannot be written to, there is no cache. */
function keep(file: string, data: Buffer): void {
  const unfinished = join(dirname(file), `${process.pid}-${basename(file)}`);
  try {
    // On the disk before it has its name: V8 takes what a crash of the machine left of it, and ends Node. Whatever the
    // umask: others run this as themselves.
    writeFileSync(unfinished, data, { flag: "wx", mode: 0o644, flush: true });
    renameSync(unfinished, file);
  } catch {
    discard(unfinished);
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // A killed process left it, and now nobody may write here.
  }
}

run();
