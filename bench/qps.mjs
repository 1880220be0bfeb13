// Queries per second and latency from a pod, through its node's cache and straight to cluster DNS: `npm run bench:qps`. As root; on
// the real cluster of the end-to-end tests. Prints Markdown.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const outfile = `${root}/.cache/programs/qps.js`;
buildSync({
  entryPoints: [`${root}/bench/qps/run.ts`],
  outfile,
  bundle: true,
  platform: "node",
  target: "node20",
  packages: "external",
  logLevel: "error",
});
const { status } = spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], { stdio: "inherit" });
process.exitCode = status ?? 1;
