import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Bundles and runs a TypeScript program of the tests or benchmarks with this process's arguments, and exits with its
 * status.
 * @param folder Where the bundle is put, and finds its packages.
 */
export function runTypeScript(source, name, folder = `${root}/.cache/programs`) {
  const outfile = `${folder}/${name}.js`;
  buildSync({
    entryPoints: [`${root}/${source}`],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    packages: "external",
    logLevel: "error",
  });
  const { status } = spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], { stdio: "inherit" });
  process.exitCode = status ?? 1;
}
