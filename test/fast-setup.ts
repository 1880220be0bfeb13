import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
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
  await bundleCli(cli);
}
