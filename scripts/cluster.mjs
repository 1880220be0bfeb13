// Bundles the test rig's command and runs it: Node runs no TypeScript of its own.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const outfile = `${root}/.cache/programs/cluster.js`;
buildSync({
  entryPoints: [`${root}/test/e2e/rig/cli.ts`],
  outfile,
  bundle: true,
  platform: "node",
  target: "node20",
  packages: "external",
  logLevel: "error",
});
const { status } = spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], { stdio: "inherit" });
process.exitCode = status ?? 1;
