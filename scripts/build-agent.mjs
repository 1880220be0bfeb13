// Bundles the agent into one file: `node scripts/build-agent.mjs [OUTFILE]`.
import { buildSync } from "esbuild";

buildSync({
  entryPoints: ["src/agent/main.ts"],
  outfile: process.argv[2] ?? "lib/agent.js",
  bundle: true,
  platform: "node",
  target: "node20",
  // pino's worker transports and prom-client's cluster support are resolved only when used, which they are not.
  logLevel: "warning",
  legalComments: "eof",
});
