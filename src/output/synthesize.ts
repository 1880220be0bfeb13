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
import { planFiles, writeFiles, type Written } from "./write-files";

/** What became of the output folder, and what users may not expect; or `problems`, one a line, and nothing was written. */
export type Synthesis =
  | { readonly clusters: number; readonly written: Written; readonly notes: readonly string[] }
  | { readonly problems: readonly string[] };

export interface SynthesisOptions {
  readonly clustersFolder: string;
  readonly outputFolder: string;
  /** The clusters that are rendered; all of them without names. */
  readonly names?: readonly string[];
  /** A folder with the nodes of each cluster, which are checked against it. */
  readonly nodesFolder?: string | undefined;
  /** Writes nothing: tells what would be written. */
  readonly dryRun?: boolean;
  /** Is told before a cluster is rendered how many are. */
  readonly onProgress?: (rendered: number, of: number) => void;
}

/** Renders cluster files into an output folder. Everything is read, checked and rendered before the first file is written. */
export function synthesize(options: SynthesisOptions): Synthesis {
  const { clustersFolder, outputFolder, names = [], nodesFolder, dryRun = false, onProgress } = options;
  const misplaced = notApart(clustersFolder, outputFolder);
  if (misplaced !== undefined) return { problems: [misplaced] };
  const { clusters, problems } = readClusters(clustersFolder, names);
  if (problems.length > 0) return { problems: problems.map(formatProblem) };

  const files = new Map<string, string>();
  const refused: string[] = [];
  const warnings: string[] = [];
  for (const [i, named] of clusters.entries()) {
    onProgress?.(i, clusters.length);
    const {
      name,
      cluster,
      files: [file],
    } = named;
    const rendered = renderCluster(cluster);
    const rendering = clusterFiles(name, headerPath(file), rendered);
    for (const [path, contents] of rendering) files.set(path, contents);
    refused.push(...sizeProblems(named, rendered, rendering));
    if (nodesFolder === undefined) continue;
    const check = againstNodes(join(nodesFolder, `${name}.json`), file, cluster, rendered);
    refused.push(...check.problems);
    warnings.push(...check.warnings);
  }
  if (refused.length > 0) return { problems: refused };
  try {
    const written = (dryRun ? planFiles : writeFiles)(outputFolder, files, {
      clustersFolder: headerPath(clustersFolder),
      clusters: names.length > 0 ? names : undefined,
    });
    const notes = clusters.flatMap(notesOf);
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

function notesOf({ files: [file], cluster }: NamedCluster): string[] {
  return cluster.notes.map((message) => formatProblem({ file, message }));
}

/** Of files that no synthesis may ever delete: the folder of their cluster files was renamed, or is somewhere else. */
function orphanNotes(outputFolder: string, { kept }: Written): string[] {
  const counts = new Map<string, number>();
  for (const { clusterFile } of kept) counts.set(clusterFile, (counts.get(clusterFile) ?? 0) + 1);
  return [...counts]
    .filter(([clusterFile]) => !existsSync(clusterFile))
    .map(([clusterFile, count]) => {
      const files = count === 1 ? "1 file was" : `${count} files were`;
      return `${outputFolder}: ${files} generated from ${clusterFile}, which does not exist, and left alone; delete them if that cluster is gone`;
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
