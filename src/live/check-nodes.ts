import { readFileSync } from "node:fs";
import { join } from "node:path";
import { reason } from "../config/reason";
import type { Cluster } from "../model/cluster/cluster";
import { preflight, type Preflight } from "../model/preflight/preflight";
import type { ComponentObjects } from "../model/preflight/workloads";
import type { Checked } from "../output/render-clusters";
import type { Rendering } from "../output/rendering";
import { readState } from "./read-state";

/** How a rendered cluster fits the nodes in a recorded file, or why the file is unusable. */
export type NodeCheck = Preflight | { readonly problem: string };

/** Checks against a file with the output of `kubectl get nodes -o json`; `-` is standard input. */
export function checkNodes(file: string, cluster: Cluster, components: readonly ComponentObjects[]): NodeCheck {
  const name = file === "-" ? "standard input" : file;
  const refused = (why: string) => ({ problem: `${name}: ${why}; record it with \`kubectl get nodes -o json\`` });
  let text: string;
  try {
    text = readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    return refused(`cannot be read (${reason(error)})`);
  }
  try {
    const state = readState(text);
    return state.nodes ? preflight(cluster, components, state) : refused("has no node");
  } catch (error) {
    return refused((error as Error).message);
  }
}

/** Checks against the cluster's file in a folder. */
export function checkAgainst(folder: string, { named, rendered }: Rendering): Checked {
  const { name, cluster, files } = named;
  const check = checkNodes(join(folder, `${name}.json`), cluster, rendered.components);
  if ("problem" in check) return { problems: [{ message: check.problem }], warnings: [] };
  return located(check, files[0]);
}

/** The problems and warnings as they are printed for a cluster file. */
export function located({ problems, warnings }: Preflight, file: string): Checked {
  return {
    problems: problems.map((message) => ({ file, message })),
    warnings: warnings.map((message) => ({ file, message, isWarning: true as const })),
  };
}
