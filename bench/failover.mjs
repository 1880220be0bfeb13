// What clients notice when a cache fails: `npm run bench:failover`. As root; namespaces of its own. Prints Markdown, and puts
// it into docs/failover.md with a plot, docs/failover.svg.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const outfile = `${root}/.cache/programs/failover.js`;
buildSync({
  entryPoints: [`${root}/bench/failover/run.ts`],
  outfile,
  bundle: true,
  platform: "node",
  target: "node20",
  packages: "external",
  logLevel: "error",
});
const { status } = spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], { stdio: "inherit" });
process.exitCode = status ?? 1;
