import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "../bundle";
import { cacheFolder, repositoryRoot } from "../repository";
import { locked } from "../locked";
import { run } from "../run";
import type { Cluster } from "./cluster";

/** The agent image in the tests: images/agent/Dockerfile with the agent from the checkout. */
export const agentImage = "localhost/cluster-dns-agent:e2e";

const script = "scripts/image.mjs";

/** Imports the image on every node. */
export async function importAgentImage(cluster: Cluster): Promise<void> {
  await cluster.importImage(await agentArchive());
}

/** The image's archive, rebuilt when its inputs change. */
export async function agentArchive(): Promise<string> {
  const hash = createHash("sha256");
  const inputs = ["Dockerfile", "debian-packages.txt", "package-lock.json"].map((file) => `images/agent/${file}`);
  for (const file of [script, "scripts/image-rootfs.mjs", "scripts/build-agent.mjs", ...inputs])
    hash.update(readFileSync(join(repositoryRoot, file)));
  hash.update(readFileSync(bundle("src/agent/main.ts")));
  const folder = join(cacheFolder, "images");
  const archive = `agent-${hash.digest("hex").slice(0, 10)}.tar`;
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, archive)))
    await locked(join(folder, "agent.lock"), async () => {
      if (!existsSync(join(folder, archive))) await build(folder, archive);
    });
  return join(folder, archive);
}

async function build(folder: string, archive: string): Promise<void> {
  const built = [process.execPath, join(repositoryRoot, script), "--tag", "e2e"];
  await run(built, { cwd: repositoryRoot, timeoutSeconds: 900 });
  for (const old of readdirSync(folder).filter((name) => name.startsWith("agent-"))) rmSync(join(folder, old));
  copyFileSync(join(cacheFolder, "image/agent.tar"), join(folder, `${archive}.unfinished`));
  renameSync(join(folder, `${archive}.unfinished`), join(folder, archive));
}
