import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../repository";

/** A comment above figures in docs: what prints them, which code they are about, and its hash when they were measured. */
export interface Marker {
  readonly line: number;
  readonly command: string;
  /** Files and folders. */
  readonly of: readonly string[];
  readonly at: string;
  /** The next line with text, which says so if the figures are older than the code. */
  readonly next: string;
}

export function markerText(command: string, of: readonly string[]): string {
  return `<!-- figures: ${command}; of ${of.join(", ")}; at ${codeHash(of)} -->`;
}

export function markersIn(page: string): Marker[] {
  const lines = page.split("\n");
  return lines.flatMap((text, index) => {
    const [, command = "", of = "", at = ""] = /^<!-- figures: (.+); of (.+); at (\w+) -->$/.exec(text) ?? [];
    if (command === "") return [];
    const next = lines.slice(index + 1).find((each) => each !== "") ?? "";
    return [{ line: index + 1, command, of: of.split(", "), at, next }];
  });
}

/** Changes whenever one of these files does, or a file of these folders. */
export function codeHash(paths: readonly string[], root = repositoryRoot): string {
  const hash = createHash("sha256");
  for (const path of paths.flatMap((each) => filesOf(root, each)).sort())
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  return hash.digest("hex").slice(0, 12);
}

/** What git ignores depends on what was built. */
const generated = /\/validate\.(js|d\.ts)$/;

function filesOf(root: string, path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path))
    .flatMap((name) => filesOf(root, `${path}/${name}`))
    .filter((file) => !generated.test(file));
}
