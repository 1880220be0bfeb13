import { belongsTo, headerPath } from "./header";
import { ownFiles, subfolders } from "./own-files";
import { recordName } from "./record";

/** Where `synth` writes without `--out`. */
const byDefault = "dist";

/**
 * Where the manifests lie that take the place of those in an output folder, as a path with `/`. The folder may be a copy
 * from another commit, such as `before/dist` beside `dist`, that is there only while it is compared: then it is the folder
 * with the end of its path, or the usual one, or else the only one here, that has manifests of the same cluster files.
 * @param owner The folder of the cluster files, as headers show it.
 */
export function whereWritten(outputFolder: string, owner: string): string {
  const path = headerPath(outputFolder);
  if (path === byDefault) return path;
  const parts = path.split("/");
  const ends = parts.slice(1).map((_, i) => parts.slice(i + 1));
  const inside = ends.filter(([first]) => first !== "..").map((end) => end.join("/"));
  const hasOwn = (folder: string) => sources(folder).some((clusterFile) => belongsTo(owner, clusterFile));
  const usual = [...inside, byDefault].find(hasOwn);
  if (usual !== undefined || parts.length === 1) return usual ?? path;
  // The other commit may have had another output folder.
  const [found, ...more] = subfolders(".", []).filter((folder) => folder !== parts[0] && hasOwn(folder));
  return found !== undefined && more.length === 0 ? found : path;
}

/** What the clusters in a folder were generated from. Two files of each are read: any folder may be asked. */
function sources(folder: string): string[] {
  return subfolders(folder, []).flatMap((cluster) => {
    const files = [recordName, "kustomization.yaml"].map((name) => `${cluster}/${name}`);
    return ownFiles(folder, cluster, files, []).map(({ clusterFile }) => clusterFile);
  });
}
