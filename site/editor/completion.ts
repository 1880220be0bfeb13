import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { Tooltip } from "@codemirror/view";
import { flowPlace, pathAt, type Choice, type Place, type Places } from "./schema";

/** The keys and values that may stand where somebody types. */
export function complete({ state, pos, explicit }: CompletionContext, places: Places): CompletionResult | null {
  const place = placeAt(state, pos);
  if (!place || (place.begun === "" && place.kind !== "value" && !explicit)) return null;
  const { path, begun, kind } = place;
  const keys = kind === "value" ? [] : places.keysAt(path).map((choice) => completionOf(choice, "property", ": "));
  const values = kind === "key" ? [] : places.valuesAt(path).map((choice) => completionOf(choice));
  return { from: pos - begun.length, options: [...keys, ...values], validFor: /^[\w-]*$/ };
}

function completionOf({ label, description }: Choice, type = "constant", after = ""): Completion {
  return { label, type, apply: label + after, ...(description !== "" && { info: () => paragraphs(description) }) };
}

/** What the reference says of the key at a position. */
export function documentation(state: EditorState, position: number, places: Places): Tooltip | null {
  const { from, text } = state.doc.lineAt(position);
  const [rest = ""] = /^[\w-]*/.exec(text.slice(position - from)) ?? [];
  const end = position + rest.length;
  const place = state.sliceDoc(end, end + 1) === ":" ? placeAt(state, end) : undefined;
  if (place === undefined || place.kind === "value") return null;
  const description = places.descriptionOf([...place.path, place.begun]);
  if (description === undefined || description === "") return null;
  return { pos: end - place.begun.length, end, create: () => ({ dom: paragraphs(description) }) };
}

function placeAt(state: EditorState, position: number): Place | undefined {
  const start = flowStart(state, position);
  if (start !== undefined) {
    const above = state.sliceDoc(0, start).split("\n");
    const place = flowPlace(state.sliceDoc(start, position), pathAt(above, above.length - 1));
    if (place) return place;
  }
  const lines = state.sliceDoc(0, position).split("\n");
  const before = lines.pop() ?? "";
  const pathOf = (line: string) => pathAt([...lines, line], lines.length);
  const [, place, key] = /^(\s*(?:- +)*)([\w-]*)$/.exec(before) ?? [];
  if (place !== undefined && key !== undefined) {
    const path = pathOf(`${place}x:`).slice(0, -1);
    return { path, begun: key, kind: path.at(-1) === "-" ? "entry" : "key" };
  }
  const [, value] = /^\s*(?:- +)*[\w-]+: +([\w-]*)$/.exec(before) ?? [];
  return value === undefined ? undefined : { path: pathOf(before), begun: value, kind: "value" };
}

/** Where the outermost `{…}` or `[…]` around a position begins, closed or not. */
function flowStart(state: EditorState, position: number): number | undefined {
  const written = state.sliceDoc(0, position).trimEnd().length;
  const tree = ensureSyntaxTree(state, written, 200) ?? syntaxTree(state);
  let start: number | undefined;
  for (let node: ReturnType<typeof tree.resolveInner> | null = tree.resolveInner(written, -1); node; node = node.parent)
    if (node.name === "FlowMapping" || node.name === "FlowSequence") start = node.from;
  return start;
}

/** The reference's Markdown, of which code is all that it uses, as elements. */
function paragraphs(text: string): HTMLElement {
  const box = document.createElement("div");
  box.className = "cluster-editor-doc";
  for (const paragraph of text.split("\n\n")) {
    const p = box.appendChild(document.createElement("p"));
    for (const [i, part] of paragraph.replaceAll("**", "").split("`").entries())
      if (i % 2 === 1) p.appendChild(document.createElement("code")).textContent = part;
      else p.append(part);
  }
  return box;
}
