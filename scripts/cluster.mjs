// Runs the test rig's cluster by hand: `npm run cluster -- up|down|status`. Needs root.
import { runTypeScript } from "./run-typescript.mjs";

runTypeScript("rig/cluster/cli.ts", "cluster");
