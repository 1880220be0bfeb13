// What tenants cost: `npm run bench`.
import { runTypeScript } from "../scripts/run-typescript.mjs";

runTypeScript("bench/tenants.ts", "tenants");
