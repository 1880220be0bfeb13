// Known vulnerabilities of what package-lock.json has, development too, because the agent is bundled from it: fails on moderate ones and
// worse. Writes a bill of materials (SPDX) to .cache/sbom.spdx.json. A registry that answers no audits is told, and is no failure.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmJson, sbom } from "./sbom.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

const bill = sbom();
mkdirSync(join(root, ".cache"), { recursive: true });
writeFileSync(join(root, ".cache/sbom.spdx.json"), `${JSON.stringify(bill, null, 2)}\n`);
console.log(`.cache/sbom.spdx.json: ${bill.packages.length} packages`);

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
