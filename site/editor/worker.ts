import schema from "../../clusters/schema.json";
import type { KeySchema } from "../../src/model/effective/every-key";
import { synthesize } from "./synthesize";

/** What the page asks: its newest text. */
export interface Question {
  readonly id: number;
  readonly name: string;
  readonly text: string;
}

// Apart from the page's thread, so that typing never waits for a synthesis.
self.addEventListener("message", ({ data: { id, name, text } }: MessageEvent<Question>) => {
  self.postMessage({ id, synthesis: synthesize(name, text, schema as KeySchema) });
});
