import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cli, root } from "./repository";

/**
 * Before the fast suite: generates what is generated, and bundles the command line as shipped, from the current
 * sources.
 */
export async function setup(): Promise<void> {
  execFileSync(process.execPath, [join(root, "scripts/generate.mjs"), "--validator-only"], { stdio: "inherit" });
  const { bundleCli } = (await import(pathToFileURL(join(root, "scripts/build.mjs")).href)) as {
    bundleCli(file: string): Promise<void>;
  };
  const folder = dirname(cli);
  mkdirSync(folder, { recursive: true });
  // Those of earlier sources; another run in this checkout may use the younger ones.
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".cache")))
    if (statSync(join(folder, name)).mtimeMs < Date.now() - 3_600_000) rmSync(join(folder, name), { force: true });
  // Written anew: in a checkout whose node_modules are hard links, they are files of another one.
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".js"))) rmSync(join(folder, name));
  await bundleCli(cli);
  // They leave V8's code caches, which tests copy: each would compile otherwise.
  const dist = mkdtempSync(join(tmpdir(), "fast-setup-"));
  for (const args of [["synth", "--out", dist], ["diff"]]) spawnSync(process.execPath, [cli, ...args], { cwd: root });
  rmSync(dist, { recursive: true, force: true });
}
