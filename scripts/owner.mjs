// The owner of the repository on GitHub, in place of OWNER: said once, with `npm run release -- --owner NAME`.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

/** Where it is written; what is generated from these follows. */
export const sources = ["package.json", "src/model/defaults.ts", "src/model/props/monitoring.ts"];

/** Writes the owner into the sources, and generates what follows from them. */
export function nameOwner(owner) {
  // GitHub's rule for names of users and organizations.
  if (!/^[A-Za-z\d](-?[A-Za-z\d]){0,38}$/.test(owner))
    throw new Error(
      `--owner ${owner} is no user or organization of GitHub; accepted: letters, digits, and - between them`,
    );
  for (const file of sources) writeFileSync(file, withOwner(readFileSync(file, "utf8"), owner));
  for (const script of ["generate", "synth"]) execFileSync("npm", ["run", script], { stdio: "inherit" });
}

export function withOwner(text, owner) {
  return text.replaceAll("github.com/OWNER/", `github.com/${owner}/`);
}
