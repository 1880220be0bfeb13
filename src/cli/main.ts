#!/usr/bin/env node
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";

/** The hash of the commands' bundle; the build defines it. */
declare const hashOfCommands: string;

type Module = (own: object, load: NodeJS.Require, module: object, file: string, folder: string) => void;

/**
 * Runs the commands from V8's code cache of an earlier run: compiling them takes as long as synthesizing a cluster. The
 * cache is beside them, so whoever can write it can also write them; V8 refuses one of another version or other flags.
 */
function run(): void {
  const file = join(__dirname, "commands.js");
  const [, , command = ""] = process.argv;
  // Each command compiles other functions.
  const cache = /^[a-z]+$/.test(command)
    ? join(__dirname, `${command}-${hashOfCommands}-${process.version}-${process.platform}-${process.arch}.cache`)
    : undefined;
  const cachedData = cache === undefined ? undefined : read(cache);
  // The build leaves only ASCII, and wraps it as Node wraps a module.
  const script = new Script(readFileSync(file, "latin1"), { filename: file, cachedData });
  if (cache !== undefined && (cachedData === undefined || script.cachedDataRejected === true))
    process.on("exit", (exitCode) => {
      if (exitCode === 0) keep(cache, script.createCachedData());
    });
  (script.runInThisContext() as Module)({}, require, module, file, __dirname);
}

/** V8 does not look whether all of it is there as it was: what a crash of the machine left would end each run. */
function read(file: string): Buffer | undefined {
  try {
    const kept = readFileSync(file);
    const data = kept.subarray(checksumBytes);
    return kept.readUInt32LE() === crc32(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** As many as V8 aligns its data to. */
const checksumBytes = 8;

/** Where the package's folder cannot be written to, there is no cache. */
function keep(file: string, data: Buffer): void {
  const unfinished = join(__dirname, `${process.pid}-${basename(file)}`);
  const checksum = Buffer.alloc(checksumBytes);
  checksum.writeUInt32LE(crc32(data));
  try {
    // Whatever the umask: others run this as themselves.
    writeFileSync(unfinished, Buffer.concat([checksum, data]), { flag: "wx", mode: 0o644 });
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
