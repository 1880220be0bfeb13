// What clients notice when a cache fails: `npm run bench:failover`. Needs root; uses its own namespaces. Prints
// Markdown, and writes it into docs/failover.md with a plot, docs/failover.svg.
import { runTypeScript } from "../scripts/run-typescript.mjs";

runTypeScript("bench/failover/run.ts", "failover");
