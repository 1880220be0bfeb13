// `npm run figures`: measures, and compares with what is kept in figures/ (docs/testing.md).
import { runTypeScript } from "./run-typescript.mjs";

runTypeScript("rig/figures/main.ts", "figures");
