import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { onTestFinished } from "vitest";

/** Replaces a function of `fs` for all who import it. @returns What restores it; the end of the test does so, too. */
export function replaceInFs<Name extends "mkdirSync" | "writeFileSync">(name: Name, by: (typeof fs)[Name]): () => void {
  const original = fs[name];
  const set = (to: (typeof fs)[Name]) => {
    fs[name] = to;
    syncBuiltinESMExports();
  };
  set(by);
  const restore = () => set(original);
  onTestFinished(restore);
  return restore;
}
