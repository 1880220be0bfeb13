/** How a file differs from the one that was looked at last. */
export type Change = "new" | "changed" | undefined;

/** What changed in files since somebody looked. */
export class Changes {
  private seen: ReadonlyMap<string, string> | undefined;

  /** Takes the files as looked at. */
  look(files: ReadonlyMap<string, string>): void {
    this.seen = files;
  }

  of(path: string, contents: string): Change {
    const before = this.seen?.get(path);
    if (this.seen === undefined || before === contents) return undefined;
    return before === undefined ? "new" : "changed";
  }

  /** Lines of the contents that the file as looked at does not have. */
  newLines(path: string, contents: string): ReadonlySet<number> {
    const before = new Set((this.seen?.get(path) ?? contents).split("\n"));
    return new Set(contents.split("\n").flatMap((line, i) => (before.has(line) ? [] : [i])));
  }

  /** Files that were there and are gone. */
  gone(files: ReadonlyMap<string, string>): string[] {
    return [...(this.seen?.keys() ?? [])].filter((path) => !files.has(path));
  }
}
