import { headerPath } from "./header";
import { ownClusters } from "./own-files";

/** Where `synth` writes without `--out`. */
const byDefault = "dist";

/**
 * Where the manifests lie that take the place of those in an output folder, as a path with `/`. The folder may be a copy
 * from another commit, such as `before/dist` beside `dist`, that is there only while it is compared: then it is the folder
 * with the end of its path, or the usual one, that has manifests of the same cluster files.
 * @param owner The folder of the cluster files, as headers show it.
 */
export function whereWritten(outputFolder: string, owner: string): string {
  const path = headerPath(outputFolder);
  if (path === byDefault) return path;
  const parts = path.split("/");
  const ends = parts.slice(1).map((_, i) => parts.slice(i + 1));
  const inside = ends.filter(([first]) => first !== "..").map((end) => end.join("/"));
  return [...inside, byDefault].find((folder) => ownClusters(folder, owner, []).length > 0) ?? path;
}
