import { kubectlArguments } from "../../src/live/take-over/kubectl-arguments";
import { button, element } from "./dom";
import type { Imported } from "./import";

/** A dialog that takes what runs in a cluster, and says what the cluster file made from it leaves out. */
export class Importer {
  readonly root = element("dialog", { "aria-label": "Import", class: "cluster-editor-import" });
  private readonly pasted = element("textarea", {
    "aria-label": "Corefile or objects",
    rows: "12",
    spellcheck: "false",
  });
  private readonly outcome = element("div", { role: "status" });

  constructor(onImport: (pasted: string) => void) {
    const command = element("code", {}, `kubectl ${kubectlArguments.join(" ")}`);
    this.root.append(
      element("p", {}, "Paste a Corefile, or the output of ", command, ". It stays in this page."),
      this.pasted,
      element(
        "div",
        { class: "cluster-editor-bar" },
        button("Make a cluster file", () => onImport(this.pasted.value)),
        button("Close", () => this.root.close()),
      ),
      this.outcome,
    );
  }

  open(): void {
    this.root.showModal();
    this.pasted.focus();
  }

  /** Shows what was left out. Returns the cluster file, if there is one. */
  show(imported: Imported): string | undefined {
    if ("problem" in imported) {
      this.outcome.replaceChildren(`What you pasted: ${imported.problem}`);
      return undefined;
    }
    const lists = imported.lists.flatMap(({ title, items }) => [
      element("p", {}, `${title}:`),
      element("ul", {}, ...items.map((item) => element("li", {}, item))),
    ]);
    this.outcome.replaceChildren("The cluster file is in the editor; Ctrl+Z there undoes it.", ...lists);
    return imported.text;
  }
}
