import { delimiter, dirname } from "node:path";
import { vi } from "vitest";
import type { Cluster } from "../../../rig/cluster/cluster";
import { tool } from "../../../rig/tools";

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
