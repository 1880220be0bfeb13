import { join } from "node:path";
import type { NamedCluster } from "../config/read-clusters";
import { readYaml } from "../config/read-yaml";
import { locate } from "../config/resolve-files";
import type { Cluster } from "../model/cluster/cluster";
import type { ComponentObjects } from "../model/kubernetes/object";
import { preflight, type Preflight } from "../model/preflight/preflight";
import { errorMessage } from "../model/syntax/error-message";
import type { Problem } from "../model/syntax/problem";
import type { Checked } from "../output/render-clusters";
import type { Rendering } from "../output/rendering";
import { readRecorded } from "./read-recorded";
import { readState } from "./read-state";

/** A file with the output of `kubectl get nodes -o json` (`-` is standard input), or who gets it. */
export type Nodes = { readonly file: string } | { readonly ask: () => string };

export function checkNodes(
  nodes: Nodes,
  cluster: Cluster,
  components: readonly ComponentObjects[],
): Preflight | { readonly problem: string } {
  const place = "file" in nodes ? (nodes.file === "-" ? "standard input" : nodes.file) : undefined;
  const remedy = "record it with `kubectl get nodes -o json`";
  const refused = (why: string) => ({ problem: place === undefined ? why : `${place}: ${why}; ${remedy}` });
  try {
    const state = readState("file" in nodes ? readRecorded(nodes.file) : nodes.ask());
    return state.nodes ? preflight(cluster, components, state) : refused("has no node");
  } catch (error) {
    return refused(errorMessage(error));
  }
}

export function checkAgainst(folder: string, { named, rendered }: Rendering): Checked {
  const { name, cluster, files } = named;
  const check = checkNodes({ file: join(folder, `${name}.json`) }, cluster, rendered.components);
  if ("problem" in check) return { problems: [{ message: check.problem }], warnings: [] };
  return located(check, files);
}

/** The problems and warnings as they are printed for a cluster: where its file, or a defaults file, has the key. */
export function located({ problems, warnings }: Preflight, files: NamedCluster["files"]): Checked {
  const read = problems.length + warnings.length > 0 ? files.map(readYaml) : [];
  const at = (problem: Problem) =>
    problem.path.length > 0 ? locate(read, problem) : { file: files[0], message: problem.message };
  return {
    problems: problems.map(at),
    warnings: warnings.map((each) => ({ ...at(each), isWarning: true as const })),
  };
}
