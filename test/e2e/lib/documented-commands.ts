import { delimiter, dirname } from "node:path";
import type { Cluster } from "../../../rig/cluster/cluster";
import { readText } from "../../../rig/repository";
import type { Finished } from "../../../rig/run";
import { vi } from "vitest";
import { tool } from "../../../rig/tools";

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

/** What a program finds in its environment that is run with a kubeconfig, and with the rig's kubectl. */
export function withKubectl(kubeconfig: string): { readonly KUBECONFIG: string; readonly PATH: string } {
  const kubectl = dirname(tool("kubernetes", "kubectl"));
  return { KUBECONFIG: kubeconfig, PATH: [kubectl, process.env["PATH"]].join(delimiter) };
}

/** This process reaches the cluster as an administrator does, in context `cluster-dns`; `vi.unstubAllEnvs` ends that. */
export async function administrate({ controlPlane, names }: Cluster): Promise<void> {
  await controlPlane.openToTheMachine();
  for (const [name, value] of Object.entries(withKubectl(names.file("kubeconfig")))) vi.stubEnv(name, value);
}
