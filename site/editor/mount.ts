import schema from "../../clusters/schema.json";
import { Code, type Mark } from "./code";
import { button, element } from "./dom";
import { held, hold } from "./held";
import { fromFragment, type Shared, toFragment } from "./link";
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
  const linked = await fromFragment(location.hash);
  const before = held(location.hash);
  let fragment = before?.fragment ?? location.hash;
  const start = before ?? linked ?? examples[0];
  const name = element("input", { value: start.name, "aria-label": "Name of the cluster" });
  const synthesizer = new Synthesizer(workerUrl, showAnswer);
  const left = element("div", { class: "cluster-editor-left" });
  const right = element("section", { class: "cluster-editor-right", "aria-label": "What comes out" });
  const said = element("p", { role: "status", class: "cluster-editor-said" });
  const chooser = exampleChooser();
  const code = new Code(left, start.text, new Places(schema as Schema), ask);
  const results = new Results(right, (line, column) => code.goTo(line, column));
  const share = button("Copy link", () => void copyLink().then(say));
  const importer = new Importer((pasted) => synthesizer.import(pasted));
  const open = button("Import", () => importer.open());
  const bar = element("div", { class: "cluster-editor-bar" }, name, chooser, open, share);
  left.prepend(bar, said);
  parent.replaceChildren(left, right, importer.root);

  name.addEventListener("input", () => ask(code.text));
  window.addEventListener("hashchange", openLink);
  window.addEventListener("pagehide", keep);
  ask(start.text);
  if (!linked && location.hash !== "") say(unreadable);

  function ask(text: string): void {
    chooser.value = examples.find((example) => example.text === text)?.name ?? "";
    synthesizer.ask(name.value, text);
  }

  function say(what: string): void {
    said.textContent = what;
  }

  function replace({ name: newName, text }: Shared): void {
    name.value = newName;
    code.text = text;
  }

  /** Somebody pasted a link into the address of this page. */
  async function openLink(): Promise<void> {
    if (location.hash === "") return;
    setFragment(location.hash);
    const opened = await fromFragment(fragment);
    if (opened) replace(opened);
    say(opened ? "The link's file is in the editor; Ctrl+Z there undoes it." : unreadable);
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

  function exampleChooser(): HTMLSelectElement {
    const options = examples.map((example) => element("option", { value: example.name }, example.name));
    const select = element(
      "select",
      { "aria-label": "Examples" },
      element("option", { value: "" }, "Examples"),
      ...options,
    );
    select.addEventListener("change", () => {
      const example = examples.find((each) => each.name === select.value);
      if (example) replace(example);
    });
    return select;
  }

  async function copyLink(): Promise<string> {
    const made = await toFragment({ name: name.value, text: code.text });
    if (made === undefined) return "This file is too large for a link (1 MB at most): send the file.";
    setFragment(`#${made}`);
    try {
      await navigator.clipboard.writeText(location.href);
      return "The link is copied, and in the address bar.";
    } catch {
      return "The link is in the address bar.";
    }
  }

  /** The site's router takes an entry of the history without a state for one of another page. */
  function setFragment(is: string): void {
    fragment = is;
    history.replaceState(history.state ?? {}, "", is);
  }

  function keep(): void {
    hold({ name: name.value, text: code.text, fragment });
  }

  return () => {
    keep();
    window.removeEventListener("pagehide", keep);
    window.removeEventListener("hashchange", openLink);
    synthesizer.end();
  };
}

const unreadable = "The link cannot be read: it is cut off, or not one of this editor. Ask for it again.";

function marksOf(synthesis: Synthesis): Mark[] {
  return synthesis.problems.flatMap(({ position, message }) =>
    position ? [{ ...position, message, severity: "error" }] : [],
  );
}
