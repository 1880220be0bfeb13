import { join } from "node:path";
import { renderCluster, type RenderedCluster } from "../charts/render-cluster";
import type { LocatedProblem } from "../config/located-problem";
import { type NamedCluster, readClusters } from "../config/read-clusters";
import { gitOpsObjects } from "../model/gitops/objects";
import type { GitOpsObject } from "../model/gitops/rendered-folders";
import { notApart } from "./apart";
import { checkNodes } from "./check-nodes";
import { clusterFiles, type Files } from "./cluster-files";
import { headerPath } from "./header";
import { sizeProblems } from "./object-sizes";
import { sharedServers } from "./shared-servers";

/** What is rendered, and where to. */
export interface RenderOptions {
  readonly clustersFolder: string;
  readonly outputFolder: string;
  /** The clusters that are rendered; all of them without names. */
  readonly names?: readonly string[];
  /** A folder with the nodes of each cluster, which are checked against it. */
  readonly nodesFolder?: string | undefined;
  /** Is told before a cluster is rendered how many are. */
  readonly onProgress?: (rendered: number, of: number) => void;
}

/** A cluster, its objects, and the files that hold them. */
export interface Rendering {
  readonly named: NamedCluster;
  readonly rendered: RenderedCluster;
  /** Objects for the controller that applies the cluster's. */
  readonly gitops: readonly GitOpsObject[];
  readonly files: Files;
}

/** Renders clusters one after the other and hands each to `use`. Returns everything that is wrong, and what users may not expect. */
export function renderClusters(
  { clustersFolder, outputFolder, names = [], nodesFolder, onProgress }: RenderOptions,
  use: (rendering: Rendering) => void,
): { readonly problems: readonly LocatedProblem[]; readonly notes: readonly LocatedProblem[] } {
  const misplaced = notApart(clustersFolder, outputFolder);
  if (misplaced !== undefined) return { problems: [{ message: misplaced }], notes: [] };
  const { clusters, problems } = readClusters(clustersFolder, names);
  if (problems.length > 0) return { problems, notes: [] };

  const servers = sharedServers(clusters);
  const refused: LocatedProblem[] = [...servers.problems];
  const warnings: LocatedProblem[] = [...servers.notes];
  for (const [i, named] of clusters.entries()) {
    onProgress?.(i, clusters.length);
    const rendered = renderCluster(named.cluster);
    const components = rendered.components.filter(({ objects }) => objects.length > 0).map(({ name }) => name);
    const gitops = gitOpsObjects(named.cluster.gitops, { cluster: named.name, components });
    const files = clusterFiles(named.name, headerPath(named.files[0]), { ...rendered, gitops });
    use({ named, rendered, gitops: Object.values(gitops).flat(), files });
    refused.push(...sizeProblems(named, rendered, files));
    if (nodesFolder === undefined) continue;
    const check = againstNodes(nodesFolder, named, rendered);
    refused.push(...check.problems);
    warnings.push(...check.warnings);
  }
  return { problems: refused, notes: [...clusters.flatMap(notesOf), ...warnings] };
}

function notesOf({ files: [file], cluster }: NamedCluster): LocatedProblem[] {
  return cluster.notes.map((message) => ({ file, message }));
}

function againstNodes(
  folder: string,
  { name, files: [file], cluster }: NamedCluster,
  { components }: RenderedCluster,
): { readonly problems: readonly LocatedProblem[]; readonly warnings: readonly LocatedProblem[] } {
  const check = checkNodes(join(folder, `${name}.json`), cluster, components);
  if ("problem" in check) return { problems: [{ message: check.problem }], warnings: [] };
  return {
    problems: check.problems.map((message) => ({ file, message })),
    warnings: check.warnings.map((message) => ({ file, message: `warning: ${message}` })),
  };
}
