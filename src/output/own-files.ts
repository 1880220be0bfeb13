import { closeSync, type Dirent, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { ownHeader } from "./cluster-files";

/**
 * The files of ours in an output folder, by their header, where ours can be: `<cluster>/FILE` and `<cluster>/<component>/FILE`.
 * Links are not followed.
 */
export function findOwnFiles(folder: string, clusters: readonly string[] = subfolders(folder, "")): string[] {
  return clusters.flatMap((cluster) =>
    [cluster, ...subfolders(folder, cluster)].flatMap((path) => ownFilesIn(folder, path)),
  );
}

function ownFilesIn(folder: string, path: string): string[] {
  return entries(join(folder, path))
    .filter((entry) => entry.isFile())
    .map(({ name }) => `${path}/${name}`)
    .filter((file) => hasOwnHeader(join(folder, file)));
}

function subfolders(folder: string, path: string): string[] {
  return entries(join(folder, path))
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => (path === "" ? name : `${path}/${name}`));
}

/** What is in a folder; nothing where there is none. */
function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function hasOwnHeader(file: string): boolean {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    const head = Buffer.alloc(ownHeader.length);
    return readSync(descriptor, head) === head.length && head.toString("latin1") === ownHeader;
  } catch {
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
