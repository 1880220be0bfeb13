import { readFileSync } from "node:fs";
import { reason } from "../config/reason";
import { readNodes } from "../config/read-nodes";
import type { Cluster } from "../model/cluster/cluster";
import { preflight, type Preflight } from "../model/preflight/preflight";
import type { ComponentObjects } from "../model/preflight/workloads";

/** How a rendered cluster fits the nodes in a recorded file, or why the file is unusable. */
export type NodeCheck = Preflight | { readonly problem: string };

/** Checks against a file with the output of `kubectl get nodes -o json`; `-` is standard input. */
export function checkNodes(file: string, cluster: Cluster, components: readonly ComponentObjects[]): NodeCheck {
  const name = file === "-" ? "standard input" : file;
  let text: string;
  try {
    text = readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    return { problem: `${name}: cannot be read (${reason(error)}); record it with \`kubectl get nodes -o json\`` };
  }
  const read = readNodes(text);
  return "problem" in read ? { problem: `${name}: ${read.problem}` } : preflight(cluster, components, read.recorded);
}
