import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { bundle } from "./rig/bundle";
import type { Cluster } from "./rig/cluster";
import { imageArchive } from "./rig/images";
import { tar } from "./rig/tar";

/** The agent's image in the tests: this machine's Node and the agent as it is in the checkout. */
export const agentImage = "cluster-dns.test/agent:e2e";

/** Makes the image known to every node. */
export async function importAgentImage(cluster: Cluster): Promise<void> {
  const archive = cluster.names.file("agent-image.tar");
  const program = readFileSync(bundle("src/agent/main.ts"));
  writeFileSync(
    archive,
    imageArchive({
      names: [agentImage],
      layers: [
        tar(withLibraries(realpathSync(process.execPath))),
        tar([{ path: "agent.js", data: program, mode: 0o644 }]),
      ],
      entrypoint: [realpathSync(process.execPath), "/agent.js"],
    }),
  );
  await cluster.importImage(archive);
}

/** A program and the libraries that it loads, at the paths that they have here. */
function withLibraries(program: string) {
  const listed = execFileSync("ldd", [program], { encoding: "utf8" });
  const libraries = [...listed.matchAll(/(?:=> )?(\/\S+) \(0x/g)].flatMap(([, path]) => path ?? []);
  return [program, ...libraries].map((path) => ({ path: path.slice(1), data: readFileSync(path) }));
}
