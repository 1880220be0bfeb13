import { existsSync } from "node:fs";
import type { LocatedProblem } from "../config/located-problem";
import { grouped } from "../model/syntax/grouped";
import { headerPath } from "./header";
import { OutputError } from "./output-error";
import { checkApart, checkClusterFiles, Refused, renderClusters, type RenderOptions } from "./render-clusters";
import type { Written } from "./comparison";
import { planFiles, type Render, writeFiles } from "./write-files";

/** What happened to the output folder, and notes for the user; or `problems` if nothing was written. */
type Synthesis =
  | { readonly clusters: number; readonly written: Written; readonly notes: readonly LocatedProblem[] }
  | { readonly problems: readonly LocatedProblem[] };

/** Everything is read, checked and rendered before the first file is written. @param dryRun Writes nothing. */
export function synthesize(options: RenderOptions, dryRun = false): Synthesis {
  const { clustersFolder, outputFolder, names = [] } = options;
  let clusters = 0;
  let notes: readonly LocatedProblem[] = [];
  const renderAll: Render = (use) => {
    clusters = 0;
    notes = renderClusters(options, ({ files }) => {
      clusters++;
      use(files);
    });
  };
  try {
    checkApart(options);
    const owner = {
      clustersFolder: headerPath(clustersFolder),
      clusters: names.length > 0 ? [...new Set(names)] : undefined,
    };
    const written = dryRun
      ? planFiles(outputFolder, renderAll, owner)
      : writeFiles(outputFolder, renderAll, owner, () => checkClusterFiles(options));
    return { clusters, written, notes: [...notes, ...orphanNotes(outputFolder, written)] };
  } catch (error) {
    if (error instanceof Refused) return { problems: error.problems };
    if (error instanceof OutputError) return { problems: error.problems.map((message) => ({ message })) };
    throw error;
  }
}

/** Of a folder of cluster files that was renamed or is elsewhere: no synthesis will ever delete them. */
function orphanNotes(outputFolder: string, { kept }: Written): LocatedProblem[] {
  return grouped(kept, ({ clusterFile }) => clusterFile)
    .filter(([clusterFile]) => !existsSync(clusterFile))
    .map(([clusterFile, { length: count }]) => {
      const files = count === 1 ? "1 file was" : `${count} files were`;
      return {
        file: outputFolder,
        message: `${files} generated from ${clusterFile}, which does not exist seen from here, and left alone; delete them if that cluster is gone`,
      };
    });
}
