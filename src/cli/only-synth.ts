import { start } from "./start";
import { command } from "./synth";

// Loaded by itself, without what the other commands need: most processes run it.
void start({ synth: () => Promise.resolve({ command }) });
