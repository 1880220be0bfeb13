// Bundles the agent: `node scripts/build-agent.mjs [OUTFILE]`. Its webhook lies beside it, in webhook/run.js: what issues
// certificates is half of all, and would take 2 MB of each program on a node.
import { buildSync } from "esbuild";
import { dirname, join } from "node:path";

const outfile = process.argv[2] ?? "lib/agent.js";
const webhook = "webhook/run.js";

bundle("src/agent/main.ts", outfile);
bundle("src/agent/webhook/run.ts", join(dirname(outfile), webhook));

function bundle(entryPoint, file) {
  buildSync({
    entryPoints: [entryPoint],
    outfile: file,
    bundle: true,
    external: [`./${webhook}`],
    platform: "node",
    target: "node20",
    // As CommonJS: loaded as an ES module would be, it takes 10 MB more.
    supported: { "dynamic-import": false },
    // pino's worker transports and prom-client's cluster support are resolved only when used, which they are not.
    logLevel: "warning",
    legalComments: "eof",
  });
}
