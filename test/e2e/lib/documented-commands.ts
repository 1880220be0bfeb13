import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "../../../rig/cluster/cluster";
import { repositoryRoot } from "../../../rig/repository";
import type { Finished } from "../../../rig/run";
import { withKubectl } from "./administrator";

/** A text of this repository. */
export function readText(path: string): string {
  return readFileSync(join(repositoryRoot, path), "utf8");
}

/** The commands in a page's `sh` boxes: one a line, unless a backslash continues it. */
export function documentedCommands(page: string): string[] {
  const boxes = [...readText(page).matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, box = ""]) => box);
  return boxes.flatMap((box) => box.replaceAll(/\\\n\s*/g, "").split("\n")).filter((line) => line.trim() !== "");
}

/**
 * Runs a documented command as an administrator with a kubeconfig would, with the words in capitals that stand for a
 * name (`POD`) replaced.
 */
export function runDocumented(
  cluster: Cluster,
  command: string,
  names: Readonly<Record<string, string>>,
): Promise<Finished> {
  const filledIn = Object.entries(names).reduce(
    (text, [word, name]) => text.replaceAll(new RegExp(`\\b${word}\\b`, "g"), name),
    command,
  );
  const env = withKubectl(cluster.names.file("pki", "admin.conf"));
  return cluster.controlPlane.attempt(["bash", "-c", `set -o pipefail; ${filledIn}`], { env });
}
