// What the same objects cost with other tools: `npm run bench`.
import { runTypeScript } from "../scripts/run-typescript.mjs";

runTypeScript("bench/beside/run.ts", "beside");
