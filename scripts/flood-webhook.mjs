import { runTypeScript } from "./run-typescript.mjs";

runTypeScript("rig/admission/run-floods.ts", "floods");
