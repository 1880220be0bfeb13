import schema from "../../clusters/schema.json";
import type { KeySchema } from "../../src/model/effective/every-key";
import { importText, type Imported } from "./import";
import { synthesize, type Synthesis } from "./synthesize";

/** What the page asks: for its newest text, or for a cluster file made from what somebody pasted. */
export type Question = { readonly name: string; readonly text: string } | { readonly pasted: string };

export type Answer = { readonly synthesis: Synthesis } | { readonly imported: Imported };

// Apart from the page's thread, so that typing never waits for a synthesis.
self.addEventListener("message", ({ data }: MessageEvent<Question>) => self.postMessage(answer(data)));

function answer(question: Question): Answer {
  if ("pasted" in question) return { imported: importText(question.pasted) };
  try {
    return { synthesis: synthesize(question.name, question.text, schema as KeySchema) };
  } catch (error) {
    // A mistake of ours: the page shows it, and the next text is synthesized all the same.
    return { synthesis: { problems: [{ message: `cannot be synthesized: ${String(error)}` }] } };
  }
}
