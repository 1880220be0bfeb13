import { statSync } from "node:fs";
import { orElse } from "../model/syntax/or-else";

/** What is at a path; undefined if nothing is there, or if that cannot be known. */
export function kindOf(path: string): "file" | "folder" | undefined {
  return orElse(() => (statSync(path).isDirectory() ? "folder" : "file"), undefined);
}
