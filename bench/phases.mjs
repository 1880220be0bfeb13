// Where the time of a synthesis goes: `npm run bench`.
import { runTypeScript } from "../scripts/run-typescript.mjs";

runTypeScript("bench/phases.ts", "phases");
