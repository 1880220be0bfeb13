import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../../../rig/repository";

/** The cases that do not run: the table of docs/kubernetes-suite.md, which has the reason of each. */
export function departures(): string[] {
  const page = readFileSync(join(repositoryRoot, "docs/kubernetes-suite.md"), "utf8");
  return [...page.matchAll(/^\| `(\[sig-[^`]*)` /gm)].map(([, name = ""]) => name);
}
