// Asks a cluster's DNS, and what `init` makes of it, the same questions: `npm run same-answers -- FILE...`
import { runTypeScript } from "./run-typescript.mjs";

runTypeScript("rig/same-answers/cli.ts", "same-answers");
