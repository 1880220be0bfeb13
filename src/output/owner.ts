import { existsSync } from "node:fs";
import { belongsTo } from "./header";

/** Whose files are written and, if stale, deleted. */
export interface Owner {
  /** The folder of the cluster files, as headers show it. */
  readonly clustersFolder: string;
  /** The clusters whose stale files are deleted; all if absent. */
  readonly clusters?: readonly string[] | undefined;
  /** Whether the files are another commit's, only to compare with: cluster files may have moved here since. */
  readonly isOfCopy?: boolean;
}

export function owns({ clustersFolder, isOfCopy = false }: Owner, clusterFile: string | undefined): boolean {
  if (belongsTo(clustersFolder, clusterFile)) return true;
  return isOfCopy && clusterFile !== undefined && !existsSync(clusterFile);
}
