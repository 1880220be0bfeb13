// What the search path costs, and how much of that the cache takes off: `npm run bench:search-path`.
import { runTypeScript } from "../scripts/run-typescript.mjs";

runTypeScript("bench/search-path.ts", "search-path");
