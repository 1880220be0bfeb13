import { isMapping } from "../model/syntax/mapping";
import type { Problem } from "../model/syntax/problem";
import type { YamlFile } from "./parse-yaml";

export interface Origin {
  readonly file: string;
  readonly position: { readonly line: number; readonly column: number };
}

/** Undefined if no file says it. @param files The cluster file, then its defaults files, nearest first. */
export function originOf(files: readonly YamlFile[], path: Problem["path"], value: unknown): Origin | undefined {
  for (const file of files) {
    const depth = file.depthOf(path);
    const origin = { file: file.file, position: file.positionOf(path.slice(0, depth), "key") };
    if (depth === path.length) return origin;
    // A value that is short for a mapping (`serveStale: 1h`) replaces whatever further files say.
    const holder = valueAt(file.value, path.slice(0, depth));
    if (!isMapping(holder)) return holder === value ? origin : undefined;
  }
  return undefined;
}

export function valueAt(root: unknown, path: Problem["path"]): unknown {
  // A key may be named as something that every object has.
  return path.reduce<unknown>(
    (value, step) => (isMapping(value) && Object.hasOwn(value, step) ? value[String(step)] : undefined),
    root,
  );
}
