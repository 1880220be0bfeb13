// What larger cluster files cost: `npm run bench`.
import { runTypeScript } from "../scripts/run-typescript.mjs";

runTypeScript("bench/growth.ts", "growth");
