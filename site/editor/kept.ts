/** Elements of a list, made once for what each shows: those that show the same as before are used again. */
export class Kept {
  private last: ReadonlyMap<string, HTMLElement> = new Map();

  /** @param items What each shows, as text, and what makes its element. */
  all(items: readonly (readonly [shown: string, make: () => HTMLElement])[]): HTMLElement[] {
    this.last = new Map(items.map(([shown, make]) => [shown, this.last.get(shown) ?? make()]));
    return [...this.last.values()];
  }
}

/** Makes these the children of an element, and leaves those alone that are there. */
export function place(parent: HTMLElement, children: readonly (Node | string)[]): void {
  const wanted = new Set(children);
  for (const there of Array.from(parent.childNodes)) if (!wanted.has(there)) there.remove();
  for (const [i, child] of children.entries()) {
    const there = parent.childNodes[i] ?? null;
    if (child !== there) parent.insertBefore(typeof child === "string" ? new Text(child) : child, there);
  }
}
