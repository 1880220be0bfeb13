// What clients notice when a cache fails: `npm run bench:failover`. As root; namespaces of its own. Prints Markdown, and puts
// it into docs/failover.md with a plot, docs/failover.svg.
import { runTypeScript } from "../scripts/run-typescript.mjs";

runTypeScript("bench/failover/run.ts", "failover");
