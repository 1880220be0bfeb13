// The watchdog in Node and in others: `npm run bench:runtimes`.
import { runTypeScript } from "../scripts/run-typescript.mjs";

runTypeScript("bench/runtimes.ts", "runtimes");
