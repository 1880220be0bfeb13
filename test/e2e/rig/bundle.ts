import { buildSync } from "esbuild";
import { basename, join } from "node:path";
import { cacheFolder, repositoryRoot } from "./repository";

/** A program of the tests as one file that Node runs. */
export function bundle(source: string): string {
  const outfile = join(cacheFolder, "programs", basename(source).replace(/\.ts$/, ".js"));
  buildSync({
    entryPoints: [join(repositoryRoot, source)],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    logLevel: "error",
  });
  return outfile;
}
