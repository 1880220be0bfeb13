import { closeSync, type Dirent, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { reason } from "../config/reason";
import { clusterFileOf, isInConflict } from "./header";
import { type Owner, owns } from "./owner";

/** A generated file, and the cluster file it was generated from. */
export interface OwnFile {
  /** Under the output folder, with `/`. */
  readonly path: string;
  readonly clusterFile: string;
}

/**
 * Finds generated files in the folders of clusters, however deep. Does not follow links.
 * @param problems Gets what cannot be read.
 */
export function findOwnFiles(
  folder: string,
  problems: string[],
  clusters: readonly string[] = subfolders(folder, problems),
): OwnFile[] {
  return clusters.flatMap((cluster) => ownFiles(folder, filesBelow(folder, cluster, problems), problems));
}

/** The clusters that have files of an owner. */
export function ownClusters(folder: string, owner: Owner, problems: string[]): string[] {
  const own = findOwnFiles(folder, problems).filter(({ clusterFile }) => owns(owner, clusterFile));
  return [...new Set(own.map(({ path }) => path.split("/", 1)[0] ?? ""))];
}

/** The generated ones of some files, by their paths under the folder. */
export function ownFiles(folder: string, paths: readonly string[], problems: string[]): OwnFile[] {
  return paths.flatMap((path) => {
    const clusterFile = clusterFileOf(beginning(join(folder, path), problems));
    return clusterFile === undefined ? [] : [{ path, clusterFile }];
  });
}

export function subfolders(folder: string, problems: string[]): string[] {
  return entries(folder, problems)
    .filter(isVisibleFolder)
    .map(({ name }) => name);
}

/** The paths of all files in a folder, but for what is hidden; links are neither followed nor files. */
export function filesBelow(folder: string, path: string, problems: string[]): string[] {
  const found = entries(join(folder, path), problems);
  return [
    ...found.filter((entry) => entry.isFile()).map(({ name }) => `${path}/${name}`),
    ...found.filter(isVisibleFolder).flatMap(({ name }) => filesBelow(folder, `${path}/${name}`, problems)),
  ];
}

function isVisibleFolder(entry: Dirent): boolean {
  return entry.isDirectory() && !entry.name.startsWith(".");
}

/** The entries of a folder; none if it does not exist. */
function entries(folder: string, problems: string[]): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    complain(folder, error, problems);
    return [];
  }
}

/** Longer than any header. */
const buffer = Buffer.alloc(8192);

function beginning(file: string, problems: string[]): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    const text = buffer.toString("utf8", 0, readSync(descriptor, buffer));
    return isInConflict(text) ? readFileSync(file, "utf8") : text;
  } catch (error) {
    complain(file, error, problems);
    return "";
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** What is not there, or a file in the place of a folder, has nothing of ours. */
function complain(path: string, error: unknown, problems: string[]): void {
  const why = reason(error);
  if (why !== "ENOENT" && why !== "ENOTDIR") problems.push(`${path} cannot be read (${why})`);
}
