import { statSync } from "node:fs";

/** What is at a path; undefined if nothing is there, or if that cannot be known. */
export function kindOf(path: string): "file" | "folder" | undefined {
  try {
    return statSync(path).isDirectory() ? "folder" : "file";
  } catch {
    return undefined;
  }
}
