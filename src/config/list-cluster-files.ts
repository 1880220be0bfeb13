import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { some } from "../model/syntax/some";
import { kindOf } from "./kind-of";
import type { LocatedProblem } from "./located-problem";
import { reason } from "./reason";
import { orElse } from "../model/syntax/or-else";

export interface ListedFile {
  /** The file's name without folder and extension. */
  readonly name: string;
  /** Its path, then the defaults files of its folder and of the folders above, nearest first. */
  readonly files: readonly [string, ...string[]];
}

/** Holds what the clusters in its folder and the folders below share. */
const defaultsFile = /^_defaults(\.cluster-dns)?\.ya?ml$/i;

/** Editors know `NAME.cluster-dns.yaml` by its name, anywhere (schemastore.org). */
const yamlFile = /(\.cluster-dns)?\.ya?ml$/i;

export function nameOfFile(file: string): string {
  return basename(file).replace(yamlFile, "");
}

const init = "`npx cdk8s-cluster-dns init NAME`";

/** The cluster files in a folder and the folders below. Links to folders, or to nothing, are refused. */
export function listClusterFiles(
  folder: string,
):
  | { readonly files: ListedFile[]; readonly unused?: readonly string[] }
  | { readonly problem: LocatedProblem; readonly isEmpty?: true } {
  let files: ListedFile[];
  const problems: LocatedProblem[] = [];
  const unused: string[] = [];
  try {
    files = listFolder(folder, [], problems, unused);
  } catch (error) {
    const why = reason(error);
    const remedies: { readonly [why: string]: string } = {
      ENOENT: `; run it in the root of your repository, or begin with ${init}`,
      ENOTDIR: "; name its folder, and after the command its cluster",
    };
    const remedy = remedies[why] ?? "";
    return { problem: { file: folder, message: `cannot be read as a folder of cluster files (${why})${remedy}` } };
  }
  const above = defaultsAbove(folder);
  if (above !== undefined) {
    return {
      problem: {
        file: above,
        message: `also holds defaults for ${folder}; use its folder as the folder of the cluster files`,
      },
    };
  }
  const [problem] = problems;
  if (problem) return { problem };
  if (files.length > 0) return { files, unused };
  return { problem: { file: folder, message: `has no cluster file (NAME.yaml); ${init} writes one` }, isEmpty: true };
}

export function isDefaultsFile(file: string): boolean {
  return defaultsFile.test(basename(file));
}

/** Names of clusters as they appear in a sentence: at most ten. */
export function inSentence(names: readonly string[]): string {
  return some(names, 10);
}

/** The nearest defaults file above the folder, wherever a link to it lies, within its repository. */
function defaultsAbove(folder: string): string | undefined {
  for (let here = realpathSync(folder); !existsSync(join(here, ".git")) && here !== dirname(here);) {
    here = dirname(here);
    // None where the folder may not be read: somebody else's.
    const names = orElse(() => readdirSync(here), []);
    const file = names.find((name) => isDefaultsFile(name) && kindOf(join(here, name)) !== "folder");
    if (file !== undefined) return join(relative("", here), file);
  }
  return undefined;
}

/** @param unused Gets the defaults files that no cluster has. */
function listFolder(
  folder: string,
  above: readonly string[],
  problems: LocatedProblem[],
  unused: string[],
): ListedFile[] {
  // Hidden files belong to editors or linters.
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith("."));
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  for (const entry of entries) if (entry.isSymbolicLink()) problems.push(...linkProblems(join(folder, entry.name)));
  const fileNames = entries
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => name)
    .filter((name) => yamlFile.test(name));
  const here = fileNames.filter((name) => defaultsFile.test(name)).map((name) => join(folder, name));
  const [first, second] = here;
  if (second !== undefined)
    problems.push({ file: second, message: `holds defaults beside ${first}; keep one of them` });
  const defaults = [...here, ...above];
  const files = [
    ...fileNames
      .filter((name) => !defaultsFile.test(name))
      .sort()
      .map((name) => ({
        name: nameOfFile(name),
        files: [join(folder, name), ...defaults] as const,
      })),
    ...folders.sort().flatMap((name) => listFolder(join(folder, name), defaults, problems, unused)),
  ];
  if (first !== undefined && files.length === 0) unused.push(first);
  return files;
}

/** Behind a link that is not followed there may be cluster files, whose output would be deleted. */
function linkProblems(file: string): LocatedProblem[] {
  const kind = kindOf(file);
  if (kind === "folder") return [{ file, message: "is a link to a folder, and not followed; move the folder here" }];
  // What is named as a file is read, and told together with what is wrong with others.
  return kind === undefined && !yamlFile.test(file)
    ? [{ file, message: "is a link that leads nowhere; mend or delete it" }]
    : [];
}

/** Windows has devices of these names in every folder, whatever the extension. */
const devices = /^(con|prn|aux|nul|(com|lpt)[0-9])$/;

/** An RFC 1123 label: a cluster's name becomes a folder, and may become part of object names. */
export function isClusterName(name: string): boolean {
  return !devices.test(name) && /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name);
}

export const clusterNameRule =
  "at most 63 lower-case letters, digits and hyphens, with a letter or digit at both ends; not a device of Windows, such as con or nul";
