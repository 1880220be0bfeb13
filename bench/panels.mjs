// Draws the panels of the dashboard into docs/panels, from recorded.json there: `npm run panels`. `-- --record` records
// that anew, from a real cluster (needs root, takes 6 minutes); `-- --check` writes nothing and fails if a picture is stale.
import { runTypeScript } from "../scripts/run-typescript.mjs";

runTypeScript("bench/panels/run.ts", "panels");
