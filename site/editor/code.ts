import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { history, historyKeymap, defaultKeymap, isolateHistory } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, diagnosticCount, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Text } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { completionKeymap } from "@codemirror/autocomplete";
import { element } from "./dom";
import { pathAt, type Choice, type Places } from "./schema";

const keysHint = "Ctrl+Space completes, F8 goes to the next problem, Tab leaves the text.";

/** A problem or note at its place in the text. */
export interface Mark {
  /** From 1; the first line without. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly severity: "error" | "info";
}

/** The text of a cluster file, with completion and documentation. */
export class Code {
  private readonly view: EditorView;

  constructor(parent: HTMLElement, start: string, places: Places, onChange: (text: string) => void) {
    const changed = EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onChange(state.doc.toString());
    });
    const hint = element("p", { id: "cluster-editor-hint", class: "cluster-editor-hint" }, keysHint);
    this.view = new EditorView({
      parent,
      // Not a change that somebody could undo.
      doc: start,
      extensions: [
        lineNumbers(),
        history(),
        EditorView.lineWrapping,
        indentOnInput(),
        bracketMatching(),
        yaml(),
        syntaxHighlighting(colors),
        lintGutter(),
        autocompletion({ override: [(context) => complete(context, places)] }),
        hoverTooltip((view, position) => documentation(view.state.doc, position, places)),
        // Tab leaves the editor, so that the keyboard alone reaches the rest of the page.
        keymap.of([...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
        EditorView.contentAttributes.of({ "aria-label": "Cluster file", "aria-describedby": hint.id }),
        EditorState.tabSize.of(2),
        changed,
      ],
    });
    parent.append(hint);
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Undone by itself, apart from what is typed before and after. */
  set text(text: string) {
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: text },
      annotations: isolateHistory.of("full"),
    });
  }

  mark(marks: readonly Mark[]): void {
    if (marks.length === 0 && diagnosticCount(this.view.state) === 0) return;
    const { doc } = this.view.state;
    this.view.dispatch(
      setDiagnostics(
        this.view.state,
        marks.map((mark) => diagnosticOf(doc, mark)),
      ),
    );
  }

  goTo(line: number, column: number): void {
    const { from, to } = this.view.state.doc.line(Math.min(line, this.view.state.doc.lines));
    const anchor = Math.min(from + column - 1, to);
    this.view.dispatch({ selection: { anchor }, scrollIntoView: true });
    this.view.focus();
  }
}

/** Underlines to the end of the line, or of the word if it has one. */
function diagnosticOf(doc: Text, { line, column, message, severity }: Mark): Diagnostic {
  const { from, to } = doc.line(Math.min(line, doc.lines));
  const start = Math.min(from + column - 1, to);
  return { from: start, to: Math.max(start, to), message, severity };
}

function complete(context: CompletionContext, places: Places): CompletionResult | null {
  const { number, from, text } = context.state.doc.lineAt(context.pos);
  const before = text.slice(0, context.pos - from);
  const lines = context.state.doc
    .toString()
    .split("\n")
    .slice(0, number - 1);
  const pathOf = (line: string) => pathAt([...lines, line], number - 1);

  const [, place, begun] = /^(\s*(?:- +)*)([\w-]*)$/.exec(before) ?? [];
  if (place !== undefined && begun !== undefined) {
    if (begun === "" && !context.explicit) return null;
    const path = pathOf(`${place}x:`);
    const keys = places.keysAt(path.slice(0, -1)).map((choice) => completionOf(choice, "property", ": "));
    const values = path.at(-2) === "-" ? places.valuesAt(path.slice(0, -1)).map((choice) => completionOf(choice)) : [];
    return { from: context.pos - begun.length, options: [...keys, ...values], validFor: /^[\w-]*$/ };
  }
  const [, value] = /^\s*(?:- +)*[\w-]+: +([\w-]*)$/.exec(before) ?? [];
  if (value === undefined) return null;
  const options = places.valuesAt(pathOf(before)).map((choice) => completionOf(choice));
  return { from: context.pos - value.length, options, validFor: /^[\w-]*$/ };
}

function completionOf({ label, description }: Choice, type = "constant", after = ""): Completion {
  return { label, type, apply: label + after, ...(description !== "" && { info: () => paragraphs(description) }) };
}

function documentation(doc: Text, position: number, places: Places) {
  const line = doc.lineAt(position);
  const [all = "", before = "", key = ""] = /^(\s*(?:- +)*)([\w-]+)(?=:)/.exec(line.text) ?? [];
  const start = line.from + before.length;
  if (key === "" || position < start || position > line.from + all.length) return null;
  const description = places.descriptionOf(pathAt(doc.toString().split("\n"), line.number - 1));
  if (description === undefined || description === "") return null;
  return { pos: start, end: start + key.length, create: () => ({ dom: paragraphs(description) }) };
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

const colors = HighlightStyle.define([
  { tag: tags.comment, color: "var(--vp-c-text-2)", fontStyle: "italic" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--editor-key)" },
  { tag: tags.string, color: "var(--editor-text)" },
  { tag: [tags.number, tags.bool, tags.null, tags.content], color: "var(--editor-value)" },
]);
