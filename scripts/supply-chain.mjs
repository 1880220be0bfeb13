// Known vulnerabilities of what package-lock.json has, development too, because the agent is bundled from it: fails on moderate ones and
// worse, and on an entry of any lockfile whose content nothing pins. Writes a bill of materials (SPDX) to .cache/sbom.spdx.json. A registry
// that answers no audits is told, and is no failure.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmJson, sbom } from "./sbom.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

const bill = sbom();
mkdirSync(join(root, ".cache"), { recursive: true });
writeFileSync(join(root, ".cache/sbom.spdx.json"), `${JSON.stringify(bill, null, 2)}\n`);
console.log(`.cache/sbom.spdx.json: ${bill.packages.length} packages`);

const lockfiles = spawnSync("git", ["ls-files", "*package-lock.json"], { cwd: root, encoding: "utf8" })
  .stdout.split("\n")
  .slice(0, -1);
const unpinned = lockfiles.flatMap((file) => withoutIntegrity(file).map((path) => `${file}: ${path}`));
console.log(`${lockfiles.length} lockfiles: ${unpinned.length} entries without integrity`);
if (lockfiles.length === 0 || unpinned.length > 0) {
  const mend = "delete them, then run npm install --package-lock-only: npm adds the integrity only to new entries";
  console.error([...unpinned, mend].join("\n"));
  process.exitCode = 1;
}

const { metadata, message } = npmJson("audit", "--json");
if (metadata === undefined) {
  console.log(`no audit: the registry says ${/^\d{3} [\w ]*\w/.exec(message)?.[0] ?? message}`);
} else {
  const { moderate, high, critical } = metadata.vulnerabilities;
  console.log(`audit: ${critical} critical, ${high} high, ${moderate} moderate`);
  if (moderate + high + critical > 0) {
    spawnSync("npm", ["audit"], { cwd: root, stdio: "inherit" });
    process.exitCode = 1;
  }
}

/** The entries whose content npm would take as it comes. What a package bundles is part of that package. */
function withoutIntegrity(file) {
  const { packages } = JSON.parse(readFileSync(join(root, file), "utf8"));
  const isUnpinned = ([path, { integrity, inBundle, link }]) => path !== "" && !integrity && !inBundle && !link;
  return Object.entries(packages)
    .filter(isUnpinned)
    .map(([path]) => path);
}
