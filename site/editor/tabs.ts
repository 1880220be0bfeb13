import { element } from "./dom";
import { place } from "./kept";

interface Panel {
  readonly tab: HTMLElement;
  readonly panel: HTMLElement;
  /** Makes what it holds; none once it is made. */
  draw?: (() => readonly (Node | string)[]) | undefined;
}

/** Panels of which one shows, and only that one is drawn: WAI-ARIA's tabs, with arrow keys. */
export class Tabs {
  readonly root = element("div", { class: "cluster-editor-tabs" });
  private readonly list = element("div", { role: "tablist", "aria-label": "What comes out" });
  private readonly tabs = new Map<string, Panel>();

  constructor(names: readonly string[]) {
    this.root.append(this.list);
    for (const name of names) {
      const id = `cluster-editor-${name.toLowerCase().replace(/\W+/g, "-")}`;
      const tab = element("button", { type: "button", role: "tab", id, "aria-controls": `${id}-panel` }, name);
      const panel = element("div", { role: "tabpanel", id: `${id}-panel`, "aria-labelledby": id, tabindex: "0" });
      tab.addEventListener("click", () => this.select(name));
      tab.addEventListener("keydown", (event) => this.move(event, name));
      this.tabs.set(name, { tab, panel });
      this.list.append(tab);
      this.root.append(panel);
    }
    this.select(names[0] ?? "");
  }

  /** Replaces what a panel holds, once it shows; the count stands beside what its tab says. */
  fill(name: string, draw: () => readonly (Node | string)[], count?: number, says = name): void {
    const panel = this.tabs.get(name);
    if (!panel) return;
    const label = count ? `${says} (${count})` : says;
    if (panel.tab.textContent !== label) panel.tab.textContent = label;
    panel.draw = draw;
    if (!panel.panel.hidden) show(panel);
  }

  select(name: string): void {
    for (const [each, panel] of this.tabs) {
      const isSelected = each === name;
      panel.tab.setAttribute("aria-selected", String(isSelected));
      panel.tab.tabIndex = isSelected ? 0 : -1;
      panel.panel.hidden = !isSelected;
      if (isSelected) show(panel);
    }
  }

  private move(event: KeyboardEvent, from: string): void {
    const names = [...this.tabs.keys()];
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const to = names[(names.indexOf(from) + step + names.length) % names.length] ?? from;
    this.select(to);
    this.tabs.get(to)?.tab.focus();
  }
}

function show(panel: Panel): void {
  const content = panel.draw?.();
  panel.draw = undefined;
  if (content) place(panel.panel, content);
}
