import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { cli, importScript, root } from "./repository";

const run = promisify(execFile);

/**
 * Before the fast suite: generates what is generated, and bundles the command line as shipped and the agent, from the
 * current sources.
 */
export async function setup(): Promise<() => void> {
  execFileSync(process.execPath, [join(root, "scripts/generate.mjs"), "--validator-only"], { stdio: "inherit" });
  const { bundleCli } = await importScript<{ bundleCli(file: string): Promise<void> }>("build.mjs");
  const folder = dirname(cli);
  mkdirSync(folder, { recursive: true });
  // Those of earlier sources; another run in this checkout may use the younger ones.
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".cache")))
    if (statSync(join(folder, name)).mtimeMs < Date.now() - 3_600_000) rmSync(join(folder, name), { force: true });
  // Written anew: in a checkout whose node_modules are hard links, they are files of another one.
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".js"))) rmSync(join(folder, name));
  const own = mkdtempSync(join(tmpdir(), "fast-setup-"));
  const agent = join(own, "agent.js");
  await Promise.all([
    bundleCli(cli),
    run(process.execPath, [join(root, "scripts/build-agent.mjs"), agent], { cwd: root }),
  ]);
  // For `agentProgram` in each of the workers.
  process.env["CLUSTER_DNS_AGENT"] = agent;
  // They leave V8's code caches, which tests copy: each would compile otherwise.
  const commands = [["synth", "--out", join(own, "dist")], ["diff"]];
  await Promise.all(commands.map((args) => run(process.execPath, [cli, ...args], { cwd: root })));
  return () => rmSync(own, { recursive: true, force: true });
}
