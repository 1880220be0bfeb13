import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { history, historyKeymap, defaultKeymap, isolateHistory } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, diagnosticCount, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Text } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { complete, documentation } from "./completion";
import { element } from "./dom";
import type { Places } from "./schema";

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
        hoverTooltip(({ state }, position) => documentation(state, position, places)),
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

const colors = HighlightStyle.define([
  { tag: tags.comment, color: "var(--vp-c-text-2)", fontStyle: "italic" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--editor-key)" },
  { tag: tags.string, color: "var(--editor-text)" },
  { tag: [tags.number, tags.bool, tags.null, tags.content], color: "var(--editor-value)" },
]);
