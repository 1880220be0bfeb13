// Builds the components that the rigs run, before any test does: a machine that compiles is no place to measure.
import { runTypeScript } from "./run-typescript.mjs";

runTypeScript("rig/build-tools.ts", "build-tools");
