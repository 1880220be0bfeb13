// Bundles and runs bench/tenants.ts, which uses the sources and the tests' CoreDNS.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const outfile = join(root, "node_modules/.cache/cluster-dns/bench-tenants.js");
await build({
  entryPoints: [join(root, "bench/tenants.ts")],
  bundle: true,
  platform: "node",
  outfile,
  logLevel: "warning",
});
process.exitCode = spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], { stdio: "inherit" }).status ?? 1;
