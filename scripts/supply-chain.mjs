// Known vulnerabilities of what package-lock.json has, development too, because the agent is bundled from it: fails on moderate ones and
// worse. Writes a CycloneDX bill of materials to .cache/sbom.json. A registry that answers no audits is told, and is no failure.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const bill = npm("sbom", "--package-lock-only", "--sbom-format", "cyclonedx");
mkdirSync(join(root, ".cache"), { recursive: true });
writeFileSync(join(root, ".cache/sbom.json"), `${JSON.stringify(bill, null, 2)}\n`);
console.log(`.cache/sbom.json: ${bill.components.length} packages`);

const { metadata, message } = npm("audit", "--json");
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

function npm(...args) {
  const { stdout, stderr } = spawnSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 });
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`npm ${args.join(" ")}: ${stderr || stdout}`);
  }
}
