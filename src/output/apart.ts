import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** One contains the other; undefined if they are apart. */
export function notApart(clustersFolder: string, outputFolder: string): string | undefined {
  const [clusters, output] = [realPath(resolve(clustersFolder)), realPath(resolve(outputFolder))];
  const where = isWithin(output, clusters) ? "inside" : isWithin(clusters, output) ? "above" : undefined;
  if (where === undefined) return undefined;
  const what = clusters === output ? "is" : `is ${where}`;
  return `${outputFolder} ${what} the folder of the cluster files, ${clustersFolder}; choose an --out beside it, such as dist`;
}

/** Resolves every link, even if the end of the path does not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path));
  }
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
