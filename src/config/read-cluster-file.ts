import { isUtf8 } from "node:buffer";
import { resolve } from "../model/check/resolve";
import type { Cluster } from "../model/cluster/cluster";
import { formatPath, type Problem } from "../model/syntax/problem";
import { show } from "../model/syntax/show";
import type { LocatedProblem } from "./located-problem";
import { parseYaml, type YamlFile } from "./parse-yaml";

/** The cluster a file describes, or everything that is wrong with the file. */
export type ClusterFile = { readonly cluster: Cluster } | { readonly problems: readonly LocatedProblem[] };

/**
 * Enough for thousands of tenants, and as much as a ConfigMap can hold of their Corefile. A hostile file is still
 * refused within seconds.
 */
const maxBytes = 1024 * 1024;

/** More than anyone reads; each has to be located in the file. */
const maxProblems = 1000;

/** Reads the bytes of one cluster file; `file` is its name as messages show it. */
export function readClusterFile(file: string, bytes: Uint8Array): ClusterFile {
  if (bytes.length > maxBytes) {
    return { problems: [{ file, message: `has ${bytes.length} bytes; a cluster file may have at most ${maxBytes}` }] };
  }
  if (!isUtf8(bytes)) return { problems: [{ file, message: "is not valid UTF-8; save it as UTF-8" }] };

  const yaml = parseYaml(file, new TextDecoder().decode(bytes));
  if (yaml.value === undefined) return { problems: yaml.problems };

  const { cluster, problems: found = [] } = resolve(yaml.value);
  const problems = [...yaml.problems, ...found.slice(0, maxProblems).map((problem) => locate(yaml, problem))];
  return cluster && problems.length === 0 ? { cluster } : { problems: problems.sort(byPosition) };
}

function locate(yaml: YamlFile, problem: Problem): LocatedProblem {
  const where = formatPath(problem.path);
  const message = inTermsOfTheFile(yaml, problem);
  return {
    file: yaml.file,
    position: yaml.positionOf(problem.path, problem.at),
    message: where ? `${where}: ${message}` : message,
  };
}

// The checks see values, the user sees text: `1.30` is the number 1.3 to them, and only the author of the file can
// quote it.
function inTermsOfTheFile(yaml: YamlFile, { path, at, message }: Problem): string {
  const scalar = at === "value" ? yaml.plainScalarAt(path) : undefined;
  if (!scalar || typeof scalar.value === "string" || scalar.value === null) return message;
  const got = show(scalar.value);
  const shown = message.startsWith(`${got} `) ? scalar.source + message.slice(got.length) : message;
  return shown.endsWith("accepted: a string") ? `${shown}; put it in quotes: "${scalar.source}"` : shown;
}

function byPosition(a: LocatedProblem, b: LocatedProblem): number {
  const [p, q] = [a.position, b.position];
  if (!p || !q) return Number(Boolean(p)) - Number(Boolean(q));
  return p.line - q.line || p.column - q.column;
}
