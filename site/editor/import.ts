import { firstFile } from "../../src/cli/first-file";
import { readState } from "../../src/live/read-state";
import { textOfObjects } from "../../src/live/text-of-objects";
import { noteTitles, takeOver } from "../../src/live/take-over/take-over";

/** What `init` makes of a cluster's objects. */
export type Imported =
  | { readonly problem: string }
  | { readonly text: string; readonly lists: readonly { readonly title: string; readonly items: readonly string[] }[] };

/** Reads what `kubectl get -o json` printed, or a Corefile alone, as `init --from` does. */
export function importText(pasted: string): Imported {
  try {
    const { description, reasons, notes } = takeOver(readState(textOfObjects(pasted)));
    const lists = noteTitles.map(([topic, title]) => ({
      title,
      items: notes.filter((note) => note.topic === topic).map(({ what }) => what),
    }));
    return { text: firstFile([], description, reasons), lists: lists.filter(({ items }) => items.length > 0) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
