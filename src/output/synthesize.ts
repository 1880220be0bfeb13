import { existsSync } from "node:fs";
import { join } from "node:path";
import { renderCluster, type RenderedCluster } from "../charts/render-cluster";
import { formatProblem } from "../config/located-problem";
import { type NamedCluster, readClusters } from "../config/read-clusters";
import type { Cluster } from "../model/cluster/cluster";
import type { Preflight } from "../model/preflight/preflight";
import { notApart } from "./apart";
import { checkNodes } from "./check-nodes";
import { clusterFiles } from "./cluster-files";
import { headerPath } from "./header";
import { sizeProblems } from "./object-sizes";
import { OutputError } from "./output-error";
import { writeFiles, type Written } from "./write-files";

/** What happened to the output folder, and notes for the user; or `problems`, one a line, if nothing was written. */
export type Synthesis =
  | { readonly clusters: number; readonly written: Written; readonly notes: readonly string[] }
  | { readonly problems: readonly string[] };

/**
 * Renders a folder's cluster files, all or those of the named clusters, into an output folder. Reads, checks and
 * renders everything before it writes the first file, and checks each cluster against its nodes if given a folder of
 * them.
 */
export function synthesize(
  clustersFolder: string,
  outputFolder: string,
  names: readonly string[] = [],
  nodesFolder?: string,
): Synthesis {
  const misplaced = notApart(clustersFolder, outputFolder);
  if (misplaced !== undefined) return { problems: [misplaced] };
  const { clusters, problems } = readClusters(clustersFolder, names);
  if (problems.length > 0) return { problems: problems.map(formatProblem) };

  const files = new Map<string, string>();
  const refused: string[] = [];
  const warnings: string[] = [];
  for (const { name, fileName, cluster } of clusters) {
    const rendered = renderCluster(cluster);
    const file = join(clustersFolder, fileName);
    const rendering = clusterFiles(name, headerPath(file), rendered);
    for (const [path, contents] of rendering) files.set(path, contents);
    refused.push(...sizeProblems(file, rendered, rendering));
    if (nodesFolder === undefined) continue;
    const check = againstNodes(join(nodesFolder, `${name}.json`), file, cluster, rendered);
    refused.push(...check.problems);
    warnings.push(...check.warnings);
  }
  if (refused.length > 0) return { problems: refused };
  try {
    const written = writeFiles(outputFolder, files, {
      clustersFolder: headerPath(clustersFolder),
      clusters: names.length > 0 ? names : undefined,
    });
    const notes = clusters.flatMap((named) => notesOf(clustersFolder, named));
    return {
      clusters: clusters.length,
      written,
      notes: [...notes, ...warnings, ...orphanNotes(outputFolder, written)],
    };
  } catch (error) {
    if (error instanceof OutputError) return { problems: error.problems };
    throw error;
  }
}

function notesOf(folder: string, { fileName, cluster }: NamedCluster): string[] {
  return cluster.notes.map((message) => formatProblem({ file: join(folder, fileName), message }));
}

/**
 * Notes on files that no synthesis will ever delete, because the folder of their cluster files was renamed or is
 * elsewhere.
 */
function orphanNotes(outputFolder: string, { kept }: Written): string[] {
  const counts = new Map<string, number>();
  for (const { clusterFile } of kept) counts.set(clusterFile, (counts.get(clusterFile) ?? 0) + 1);
  return [...counts]
    .filter(([clusterFile]) => !existsSync(clusterFile))
    .map(([clusterFile, count]) => {
      const files = count === 1 ? "1 file was" : `${count} files were`;
      return `${outputFolder}: ${files} generated from ${clusterFile}, which no longer exists, and left alone; delete them if that cluster is gone`;
    });
}

function againstNodes(
  nodesFile: string,
  file: string,
  cluster: Cluster,
  { components }: RenderedCluster,
): Pick<Preflight, "problems" | "warnings"> {
  const check = checkNodes(nodesFile, cluster, components);
  if ("problem" in check) return { problems: [check.problem], warnings: [] };
  return {
    problems: check.problems.map((message) => formatProblem({ file, message })),
    warnings: check.warnings.map((message) => formatProblem({ file, message: `warning: ${message}` })),
  };
}
