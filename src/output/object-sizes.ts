import type { RenderedCluster } from "../charts/render-cluster";
import type { LocatedProblem } from "../config/located-problem";
import type { NamedCluster } from "../config/read-clusters";
import { readYaml } from "../config/read-yaml";
import { descriptionOf, locate } from "../config/resolve-files";
import { tooLarge } from "../model/object-size";
import type { Problem } from "../model/syntax/problem";
import type { Files } from "./cluster-files";

/** The objects of a cluster that the API server would not take, each with the longest part of the cluster file. */
export function sizeProblems(
  { files: names }: NamedCluster,
  { components }: RenderedCluster,
  files: Files,
): LocatedProblem[] {
  // Its YAML is longer than an object's content, but a character may have four bytes.
  if (![...files.values()].some((text) => text.length > 256 * 1024)) return [];
  const sizes = components.flatMap(({ objects }) => objects.flatMap((object) => tooLarge(object) ?? []));
  if (sizes.length === 0) return [];
  // Read again: the file's text is not kept, and this is rare.
  const yaml = names.map(readYaml);
  const path = longestPart(descriptionOf(yaml));
  const advice = path[0] === "tenancy" ? "use membership: prefix, or fewer tenants" : "shorten it";
  return sizes.map((size) =>
    locate(yaml, { path, at: "key", message: `is the longest part of what makes ${size}; ${advice}` }),
  );
}

/** The way to the longest key, and on as long as one value is more than half of what holds it. */
function longestPart(description: unknown): Problem["path"] {
  const [longest] = Object.entries(description ?? {}).sort(([, a], [, b]) => lengthOf(b) - lengthOf(a));
  return longest ? [longest[0], ...mostOf(longest[1])] : [];
}

function mostOf(value: unknown): Problem["path"] {
  if (typeof value !== "object" || value === null) return [];
  const half = lengthOf(value) / 2;
  const found = Object.entries(value).find(([, child]) => lengthOf(child) > half);
  return found ? [Array.isArray(value) ? Number(found[0]) : found[0], ...mostOf(found[1])] : [];
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}
