import { buildSync } from "esbuild";
import { renameSync } from "node:fs";
import { basename, join } from "node:path";
import { repositoryRoot } from "./repository";

/**
 * Bundles a test program into one file that Node runs. It stays in the checkout, where it finds whatever it does not
 * contain.
 */
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
  // Other processes may be starting it.
  renameSync(unfinished, outfile);
  return outfile;
}
