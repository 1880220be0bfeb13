import { readFileSync } from "node:fs";
import { join } from "node:path";

export class IncompleteError extends Error {}

export const incomplete = "a part of this package is missing; install cdk8s-cluster-dns again";

/** A file of the package, as published and in a clone, by its path in it. @throws IncompleteError */
export function ownFile(path: string): string {
  const file = join(__dirname, "../..", path);
  try {
    return readFileSync(file, "utf8");
  } catch {
    throw new IncompleteError(`${file} cannot be read: ${incomplete}`);
  }
}
