import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { reason } from "../config/reason";
import { clusterFileOf } from "./header";
import { type Owner, owns } from "./owner";
import { readRecord, recordName } from "./record";

export interface OwnFile {
  /** Under the output folder, with `/`. */
  readonly path: string;
  readonly clusterFile: string;
}

/** However deep. Does not follow links. @param problems Gets what cannot be read. */
export function findOwnFiles(
  folder: string,
  problems: string[],
  clusters: readonly string[] = subfolders(folder, problems),
): OwnFile[] {
  return clusters.flatMap((cluster) => ownFiles(folder, cluster, filesBelow(folder, cluster, problems), problems));
}

/** The clusters that have files of an owner. */
export function ownClusters(folder: string, owner: Owner, problems: string[]): string[] {
  return subfolders(folder, problems).filter((cluster) =>
    findOwnFiles(folder, problems, [cluster]).some(({ clusterFile }) => owns(owner, clusterFile)),
  );
}

/** Those that the cluster's record lists; of earlier versions, which wrote none, those whose first line says so. */
export function ownFiles(folder: string, cluster: string, found: readonly string[], problems: string[]): OwnFile[] {
  const recordPath = `${cluster}/${recordName}`;
  const record = found.includes(recordPath) ? readRecord(folder, cluster) : undefined;
  if (!record) return byHeader(folder, recordPath, found, problems);
  const listed = new Set(record.files.map((path) => `${cluster}/${path}`));
  // The record itself last: until then, it says what else is to be deleted.
  return [...found.filter((path) => listed.has(path)), recordPath].map((path) => ({
    path,
    clusterFile: record.clusterFile,
  }));
}

/** What is left of a record that nobody can read belongs to the other files. */
function byHeader(folder: string, recordPath: string, found: readonly string[], problems: string[]): OwnFile[] {
  const own = found.flatMap((path) => {
    const clusterFile = sourceOf(join(folder, path), problems);
    return clusterFile === undefined ? [] : [{ path, clusterFile }];
  });
  return own[0] && found.includes(recordPath) ? [...own, { ...own[0], path: recordPath }] : own;
}

function sourceOf(file: string, problems: string[]): string | undefined {
  try {
    return clusterFileOf(readFileSync(file, "utf8"));
  } catch (error) {
    complain(file, error, problems);
    return undefined;
  }
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

/** What is not there, or a file in the place of a folder, has nothing of ours. */
function complain(path: string, error: unknown, problems: string[]): void {
  const why = reason(error);
  if (why !== "ENOENT" && why !== "ENOTDIR") problems.push(`${path} cannot be read (${why})`);
}
