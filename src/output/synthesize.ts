import { join } from "node:path";
import { renderCluster } from "../charts/cluster-charts";
import { formatProblem } from "../config/located-problem";
import { type Cluster, readClusters } from "../config/read-clusters";
import { notes } from "../model/spec/notes";
import { clusterFiles } from "./cluster-files";
import { OutputError, writeFiles, type Written } from "./write-files";

/** What became of the output folder, and what users may not expect; or `problems`, one a line, and nothing was written. */
export type Synthesis =
  | { readonly clusters: number; readonly written: Written; readonly notes: readonly string[] }
  | { readonly problems: readonly string[] };

/**
 * Renders the cluster files of a folder, all or those of the clusters named, into an output folder. Everything is read, checked
 * and rendered before the first file is written.
 */
export function synthesize(clustersFolder: string, outputFolder: string, names: readonly string[] = []): Synthesis {
  const { clusters, problems } = readClusters(clustersFolder, names);
  if (problems.length > 0) return { problems: problems.map(formatProblem) };

  const files = new Map<string, string>();
  for (const { name, fileName, props } of clusters) {
    for (const [path, contents] of clusterFiles(name, fileName, renderCluster(props))) files.set(path, contents);
  }
  try {
    const written = writeFiles(outputFolder, files, names.length > 0 ? names : undefined);
    return {
      clusters: clusters.length,
      written,
      notes: clusters.flatMap((cluster) => notesOf(clustersFolder, cluster)),
    };
  } catch (error) {
    if (error instanceof OutputError) return { problems: error.problems };
    throw error;
  }
}

function notesOf(folder: string, { fileName, props }: Cluster): string[] {
  return notes(props).map((message) => formatProblem({ file: join(folder, fileName), message }));
}
