import { buildSync } from "esbuild";
import { renameSync } from "node:fs";
import { basename, join } from "node:path";
import { repositoryRoot } from "./repository";

/** A program of the tests as one file that Node runs. It stays in the checkout, where it finds what it does not hold. */
export function bundle(source: string): string {
  const outfile = join(repositoryRoot, ".cache/programs", basename(source).replace(/\.ts$/, ".js"));
  const unfinished = `${outfile}.${process.pid}`;
  const entry = join(repositoryRoot, source);
  const external = ["esbuild"];
  buildSync({
    entryPoints: [entry],
    outfile: unfinished,
    bundle: true,
    external,
    platform: "node",
    target: "node20",
    logLevel: "error",
  });
  // Others may be starting it.
  renameSync(unfinished, outfile);
  return outfile;
}
