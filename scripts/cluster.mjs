// The test rig's cluster for a person: `npm run cluster -- up|down|status`. As root.
import { runTypeScript } from "./run-typescript.mjs";

runTypeScript("rig/cluster/cli.ts", "cluster");
