// Runs tests in another kernel: `npm run test:vm -- [--kernel oldest|newest] [VITEST'S ARGUMENTS]`. Needs root.
import { runTypeScript } from "./run-typescript.mjs";

runTypeScript("rig/vm/cli.ts", "vm");
