import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The checkout that contains this file, or the bundle made from it. */
export const repositoryRoot = find(__dirname);

export function readText(path: string): string {
  return readFileSync(join(repositoryRoot, path), "utf8");
}

/** What is built once and kept; git ignores it. */
export const cacheFolder = process.env["CLUSTER_DNS_CACHE"] ?? join(repositoryRoot, ".cache");

function find(folder: string): string {
  if (existsSync(join(folder, "cdk8s.yaml"))) return folder;
  const parent = dirname(folder);
  if (parent === folder)
    throw new Error(`${__dirname} is not in a checkout of the project: no parent folder has a cdk8s.yaml`);
  return find(parent);
}
