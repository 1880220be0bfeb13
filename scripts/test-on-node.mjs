// `npm run test:node -- VERSION [VITEST'S ARGUMENTS]`: the fast suite on another version of Node; a partial version
// will do (`22`, `22.12.0`). It comes from npm's package `node`.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const [version = "", ...args] = process.argv.slice(2);
if (!/^\d+(\.\d+){0,2}$/.test(version)) {
  console.error("usage: npm run test:node -- VERSION [VITEST'S ARGUMENTS]");
  process.exit(2);
}

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "node-"));
const bin = join(folder, "node_modules/node/bin");
// Also for programs that tests start by name: npm, npx.
const env = { ...process.env, PATH: bin + delimiter + process.env.PATH };
try {
  // Tests run it as another user.
  chmodSync(folder, 0o755);
  process.exitCode =
    run("npm", ["install", "--silent", "--no-save", "--prefix", folder, `node@${version}`]) ||
    run(join(bin, "node"), ["--version"]) ||
    run(join(bin, "node"), [join(root, "node_modules/vitest/vitest.mjs"), "run", ...args]);
} finally {
  rmSync(folder, { recursive: true });
}

function run(command, argv) {
  const { status, error } = spawnSync(command, argv, { cwd: root, env, stdio: "inherit" });
  if (error) console.error(`${command}: ${error.message}`);
  return status ?? 1;
}
