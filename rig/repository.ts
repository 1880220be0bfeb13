import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The checkout that holds this file, or the bundle made of it. */
export const repositoryRoot = find(__dirname);

/** What is built once and kept, ignored by git. */
export const cacheFolder = process.env["CLUSTER_DNS_CACHE"] ?? join(repositoryRoot, ".cache");

function find(folder: string): string {
  if (existsSync(join(folder, "cdk8s.yaml"))) return folder;
  const parent = dirname(folder);
  if (parent === folder)
    throw new Error(`${__dirname} is in no checkout of the project: no folder above it has a cdk8s.yaml`);
  return find(parent);
}
