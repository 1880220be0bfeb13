import schema from "../../clusters/schema.json";
import { Code, type Mark } from "./code";
import { button, element } from "./dom";
import { fromFragment, toFragment } from "./link";
import { Results } from "./results";
import { Places, type Schema } from "./schema";
import type { Synthesis } from "./synthesize";
import { Importer } from "./importer";
import { Synthesizer } from "./synthesizer";
import type { Answer } from "./worker";
import "./editor.css";

/** A cluster file to begin with. */
export interface Example {
  readonly name: string;
  readonly text: string;
}

/**
 * An editor of one cluster file beside what comes out of it.
 *
 * @param workerUrl The script that synthesizes (`worker.ts`).
 * @returns What removes it.
 */
export async function mountEditor(
  parent: HTMLElement,
  examples: readonly [Example, ...Example[]],
  workerUrl: string,
): Promise<() => void> {
  const start = (await fromFragment(location.hash)) ?? examples[0];
  const name = element("input", { value: start.name, "aria-label": "Name of the cluster", pattern: "[a-z0-9-]+" });
  const synthesizer = new Synthesizer(workerUrl, showAnswer);
  const left = element("div", { class: "cluster-editor-left" });
  const right = element("section", { class: "cluster-editor-right", "aria-label": "What comes out" });
  const code = new Code(left, new Places(schema as Schema), ask);
  const results = new Results(right, (line, column) => code.goTo(line, column));
  const share = button("Copy link", () => void copyLink());
  const importer = new Importer((pasted) => synthesizer.import(pasted));
  const open = button("Import", () => importer.open());
  const bar = element("div", { class: "cluster-editor-bar" }, name, chooser(), open, share);
  left.prepend(bar);
  parent.replaceChildren(left, right, importer.root);

  name.addEventListener("input", () => ask(code.text));
  code.text = start.text;

  function ask(text: string): void {
    synthesizer.ask(name.value || "dev", text);
  }

  function showAnswer(answer: Answer): void {
    if ("imported" in answer) {
      const text = importer.show(answer.imported);
      if (text !== undefined) code.text = text;
      return;
    }
    code.mark(marksOf(answer.synthesis));
    results.show(answer.synthesis);
  }

  function chooser(): HTMLElement {
    const options = examples.map((example) => element("option", { value: example.name }, example.name));
    const select = element(
      "select",
      { "aria-label": "Examples" },
      element("option", { value: "" }, "Examples"),
      ...options,
    );
    select.addEventListener("change", () => {
      const example = examples.find((each) => each.name === select.value);
      select.value = "";
      if (!example) return;
      name.value = example.name;
      code.text = example.text;
    });
    return select;
  }

  async function copyLink(): Promise<void> {
    const fragment = await toFragment({ name: name.value, text: code.text });
    history.replaceState(null, "", `#${fragment}`);
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    share.textContent = "Link is in the address bar";
    setTimeout(() => (share.textContent = "Copy link"), 3000);
  }

  return () => synthesizer.end();
}

function marksOf(synthesis: Synthesis): Mark[] {
  return synthesis.problems.map(({ position, message }) => ({
    line: position?.line ?? 1,
    column: position?.column ?? 1,
    message,
    severity: "error",
  }));
}
