import type { Value } from "../../src/cli/explanation";
import { type Change, Changes } from "./changes";
import { button, element } from "./dom";
import { Kept, place } from "./kept";
import type { Synthesis } from "./synthesize";
import { Tabs } from "./tabs";

/** What comes out of a cluster file. */
export class Results {
  private readonly tabs = new Tabs(["Query path", "Files", "Values", "Notes"]);
  private readonly state = element("p", { role: "status", class: "cluster-editor-state" });
  private readonly changes = new Changes();
  private files: ReadonlyMap<string, string> = new Map();
  private readonly keptPicture = new Kept();
  private readonly keptFiles = new Kept();
  private readonly values = element("tbody");
  private readonly table = element("table", {}, headOf(["Key", "Value", "From"]), this.values);
  private readonly keptValues = new Kept();
  /** The paths of files that somebody opened. */
  private readonly open = new Set<string>();

  /** @param onGoTo Is told of the place in the cluster file that somebody wants to see. */
  constructor(
    parent: HTMLElement,
    private readonly onGoTo: (line: number, column: number) => void,
  ) {
    parent.append(this.state, this.tabs.root);
    for (const name of ["Query path", "Files", "Values"]) this.tabs.fill(name, () => ["Nothing came out yet."]);
  }

  /** Takes the files that show as looked at: what differs from them later is marked. */
  look(): void {
    this.changes.look(this.files);
    this.showFiles();
  }

  show(synthesis: Synthesis): void {
    const { problems } = synthesis;
    const [first] = problems;
    if (!("files" in synthesis)) {
      const count = problems.length === 1 ? "1 problem" : `${problems.length} problems, the first`;
      const at = first?.position ? ` at ${first.position.line}:${first.position.column}` : "";
      this.state.textContent = `${count}${at}: ${first?.message}`;
      this.state.dataset["state"] = this.files.size > 0 ? "stale" : "problems";
      this.tabs.fill("Notes", () => [this.problemList(problems)], problems.length, "Problems");
      return;
    }
    this.state.textContent = `${synthesis.files.length} files`;
    this.state.dataset["state"] = "good";
    const isFirst = this.files.size === 0;
    this.files = new Map(synthesis.files);
    if (isFirst) this.changes.look(this.files);
    this.showFiles();
    const { paths } = synthesis;
    this.tabs.fill("Query path", () => this.keptPicture.all([[paths, () => pictureOf(paths)]]));
    this.tabs.fill("Values", () => [this.valueTable(synthesis.values)]);
    this.tabs.fill("Notes", () => [noteList(synthesis.notes)], synthesis.notes.length);
  }

  private showFiles(): void {
    this.tabs.fill("Files", () => this.fileList(), this.files.size);
  }

  private fileList(): HTMLElement[] {
    const gone = this.changes.gone(this.files).map((path) => element("p", { class: "change-gone" }, `${path} is gone`));
    const isChanged = gone.length > 0 || [...this.files].some(([path, text]) => this.changes.of(path, text));
    const seen = isChanged ? [button("Mark all as seen", () => this.look())] : [];
    const entries = [...this.files].map(([path, contents]) => {
      const change = this.changes.of(path, contents);
      // One that is closed shows nothing of its contents: each character that somebody types changes those of most files.
      const shown = this.open.has(path) ? contents : "";
      return [`${path} ${change} ${shown}`, () => this.file(path, change)] as const;
    });
    return [...seen, ...gone, ...this.keptFiles.all(entries)];
  }

  private file(path: string, change: Change): HTMLElement {
    const summary = element("summary", {}, path, change && element("span", { class: `change-${change}` }, change));
    const details = element("details", {}, summary);
    details.open = this.open.has(path);
    const fill = () => details.append(this.fileContents(path, this.files.get(path) ?? ""));
    if (details.open) fill();
    details.addEventListener("toggle", () => {
      if (details.open) this.open.add(path);
      else this.open.delete(path);
      if (details.open && details.childElementCount === 1) fill();
    });
    return details;
  }

  private fileContents(path: string, contents: string): HTMLElement {
    const fresh = this.changes.newLines(path, contents);
    const lines = contents
      .split("\n")
      .map((line, i) => (fresh.has(i) ? element("mark", {}, `${line}\n`) : `${line}\n`));
    return element("pre", { tabindex: "0", "aria-label": path }, element("code", {}, ...lines));
  }

  private problemList(problems: Synthesis["problems"]): HTMLElement {
    const items = problems.map(({ position, message }) => {
      if (!position) return element("li", {}, message);
      const { line, column } = position;
      return element(
        "li",
        {},
        button(`${line}:${column}`, () => this.onGoTo(line, column)),
        ` ${message}`,
      );
    });
    return element("ul", { class: "cluster-editor-problems" }, ...items);
  }

  private valueTable(values: readonly Value[]): HTMLElement {
    place(this.values, this.keptValues.all(values.map((value) => [JSON.stringify(value), () => this.row(value)])));
    return this.table;
  }

  private row({ key, value, from, remark }: Value): HTMLElement {
    const shown = value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
    const source = from
      ? button(`line ${from.line}`, () => this.onGoTo(from.line, from.column))
      : (remark ?? "default");
    return element(
      "tr",
      from ? { class: "is-set" } : {},
      element("th", { scope: "row" }, ...breakable(key)),
      element("td", {}, element("code", {}, shown)),
      element("td", {}, source),
    );
  }
}

/** A narrow screen breaks a long key behind a dot. */
function breakable(key: string): (Node | string)[] {
  return key.split(/(?<=\.)/).flatMap((part, i) => (i === 0 ? [part] : [element("wbr"), part]));
}

function headOf(names: readonly string[]): HTMLElement {
  return element("thead", {}, element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name))));
}

function noteList(notes: readonly string[]): HTMLElement | string {
  return notes.length > 0 ? element("ul", {}, ...notes.map((note) => element("li", {}, note))) : "No notes.";
}

/** The picture is made by us from addresses and names; as an image it can run nothing. */
function pictureOf(svg: string): HTMLElement {
  const text = [...svg.matchAll(/<text[^>]*>([^<]*)/g)].map(([, each]) => each).join(", ");
  const source = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  return element("div", { class: "cluster-editor-picture" }, element("img", { src: source, alt: text }));
}
