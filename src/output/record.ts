import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseJSON } from "../model/syntax/json";
import { isMapping } from "../model/syntax/mapping";
import type { Files } from "./cluster-files";
import { headerLine } from "./header";
import { orElse } from "../model/syntax/or-else";

/** What was rendered from what. Argo CD, Flux and kubectl take no file of this name for a manifest. */
export const recordName = "cluster-dns.record";

interface ClusterRecord {
  readonly cluster: string;
  /** Its path as headers show it. */
  readonly clusterFile: string;
  /** What the cluster file says, with what it shares; undefined while files are moved into place. */
  readonly description?: unknown;
  /** Our files: paths under the cluster's folder, without this record's own. */
  readonly files: readonly string[];
}

/** Of this format. Another one is no record to this version of the program. */
const version = 1;

export function withRecord(files: Files, about: Omit<ClusterRecord, "files">): Files {
  const below = about.cluster.length + 1;
  const paths = [...files.keys()].map((path) => path.slice(below));
  return new Map([...files, [`${about.cluster}/${recordName}`, recordText({ ...about, files: paths })]]);
}

function recordText({ cluster, clusterFile, description, files }: ClusterRecord): string {
  const about = headerLine(clusterFile).replace(/^# |\n$/g, "");
  return `${JSON.stringify({ about, version, cluster, clusterFile, description, files }, null, 2)}\n`;
}

/** The record of a cluster's folder; undefined if there is none, or nothing that can be read as one. */
export function readRecord(folder: string, cluster: string): ClusterRecord | undefined {
  const text = orElse(() => readFileSync(join(folder, cluster, recordName), "utf8"), undefined);
  if (text === undefined) return undefined;
  const [ours, theirs] = sidesOf(text);
  const record = parseRecord(ours);
  if (ours === theirs || !record) return record;
  // In a merge conflict, the files of both sides may be there.
  const other = parseRecord(theirs);
  return other && { ...record, description: undefined, files: [...new Set([...record.files, ...other.files])] };
}

/** Both versions that a merge conflict holds; twice the same text without one. */
function sidesOf(text: string): [string, string] {
  const conflict = /^<{7}.*\n([^]*?)(?:^\|{7}.*\n[^]*?)?^={7}.*\n([^]*?)^>{7}.*\n?/gm;
  return [text.replace(conflict, "$1"), text.replace(conflict, "$2")];
}

function parseRecord(text: string): ClusterRecord | undefined {
  const value = parseJSON(text);
  return isRecord(value) ? value : undefined;
}

function isRecord(value: unknown): value is ClusterRecord & { readonly [key: string]: unknown } {
  return (
    isMapping(value) &&
    value["version"] === version &&
    typeof value["clusterFile"] === "string" &&
    Array.isArray(value["files"]) &&
    value["files"].every((path) => typeof path === "string" && isBelow(path))
  );
}

/** Whether a path stays in the folder: whoever edited the record must not have us delete anything else. */
function isBelow(path: string): boolean {
  return path.split(/[/\\]/).every((part) => part !== "" && part !== "." && part !== "..");
}

/**
 * Has the records in a folder list what is about to be moved there and deleted: whenever the process is killed, they list
 * all that is ours. Only then the new records follow.
 * @param staged Has the new records, and the files that are moved.
 * @param deleted Paths under the folder.
 */
export function announce(staged: string, folder: string, deleted: readonly string[]): void {
  for (const cluster of readdirSync(staged)) {
    const next = readRecord(staged, cluster);
    // A new folder moves with its record.
    if (!next || !existsSync(join(folder, cluster))) continue;
    const old = readRecord(folder, cluster);
    const leaves = deleted
      .filter((path) => path.startsWith(`${cluster}/`))
      .map((path) => path.slice(cluster.length + 1));
    const files = [...new Set([...next.files, ...leaves])].filter((path) => path !== recordName);
    if (files.every((path) => old?.files.includes(path))) continue;
    const temporary = join(staged, cluster, `${recordName}.announced`);
    writeFileSync(temporary, recordText({ ...next, description: old?.description, files }));
    renameSync(temporary, join(folder, cluster, recordName));
  }
}
