import { closeSync, type Dirent, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { clusterFileOf } from "./header";

/** A generated file, and the cluster file it was generated from. */
export interface OwnFile {
  /** Under the output folder, with `/`. */
  readonly path: string;
  readonly clusterFile: string;
}

/** Finds generated files in the folders of clusters, however deep. Does not follow links. */
export function findOwnFiles(folder: string, clusters: readonly string[] = subfolders(folder)): OwnFile[] {
  return clusters.flatMap((cluster) => ownFiles(folder, filesBelow(folder, cluster)));
}

/** The generated ones of some files, by their paths under the folder. */
export function ownFiles(folder: string, paths: readonly string[]): OwnFile[] {
  return paths.flatMap((path) => {
    const clusterFile = clusterFileOf(beginning(join(folder, path)));
    return clusterFile === undefined ? [] : [{ path, clusterFile }];
  });
}

export function subfolders(folder: string): string[] {
  return entries(folder)
    .filter(isVisibleFolder)
    .map(({ name }) => name);
}

/** The paths of all files in a folder, but for what is hidden; links are neither followed nor files. */
export function filesBelow(folder: string, path: string): string[] {
  const found = entries(join(folder, path));
  return [
    ...found.filter((entry) => entry.isFile()).map(({ name }) => `${path}/${name}`),
    ...found.filter(isVisibleFolder).flatMap(({ name }) => filesBelow(folder, `${path}/${name}`)),
  ];
}

function isVisibleFolder(entry: Dirent): boolean {
  return entry.isDirectory() && !entry.name.startsWith(".");
}

/** The entries of a folder; none if it does not exist. */
function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

/** Longer than any header; the rest of a file does not matter. */
const buffer = Buffer.alloc(8192);

function beginning(file: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    return buffer.toString("utf8", 0, readSync(descriptor, buffer));
  } catch {
    return "";
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
