// What admission costs, policies beside the webhook: part of `npm run bench`.
import { runTypeScript } from "../scripts/run-typescript.mjs";

runTypeScript("bench/admission/run.ts", "admission");
