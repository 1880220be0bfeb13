import { element } from "./dom";

/** Panels of which one shows: WAI-ARIA's tabs, with arrow keys. */
export class Tabs {
  readonly root = element("div", { class: "cluster-editor-tabs" });
  private readonly list = element("div", { role: "tablist", "aria-label": "What comes out" });
  private readonly tabs = new Map<string, { readonly tab: HTMLElement; readonly panel: HTMLElement }>();

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

  /** Replaces what a panel holds; the count stands beside its name. */
  fill(name: string, content: readonly (Node | string)[], count?: number): void {
    const { tab, panel } = this.tabs.get(name) ?? {};
    panel?.replaceChildren(...content);
    tab?.replaceChildren(count ? `${name} (${count})` : name);
  }

  select(name: string): void {
    for (const [each, { tab, panel }] of this.tabs) {
      const isSelected = each === name;
      tab.setAttribute("aria-selected", String(isSelected));
      tab.tabIndex = isSelected ? 0 : -1;
      panel.hidden = !isSelected;
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
