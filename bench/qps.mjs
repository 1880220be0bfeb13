// Queries per second and latency from a pod, through its node's cache and straight to cluster DNS: `npm run bench:qps`.
// Needs root; uses the real cluster of the end-to-end tests. Prints Markdown.
import { runTypeScript } from "../scripts/run-typescript.mjs";

runTypeScript("bench/qps/run.ts", "qps");
