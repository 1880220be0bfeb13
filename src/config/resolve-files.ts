import { valueRules } from "../model/check/values";
import { readAsMeant } from "../model/check/as-meant";
import { resolve } from "../model/check/resolve";
import validate = require("../model/check/validate");
import { holding, whatToWrite } from "../model/check/what-to-write";
import type { Cluster } from "../model/cluster/cluster";
import { formatPath, type Problem } from "../model/syntax/problem";
import { shapeProblems } from "../model/syntax/shape";
import { show } from "../model/syntax/show";
import { type LocatedProblem, maxProblems } from "./located-problem";
import { hiddenByMappings, overlay } from "./overlay";
import type { YamlFile } from "./parse-yaml";

type ResolvedFiles =
  | { readonly cluster: Cluster; readonly description: unknown }
  | { readonly problems: readonly LocatedProblem[] };

/** Resolves files together: the cluster file, then its defaults files, nearest first. */
export function resolveFiles(files: readonly YamlFile[]): ResolvedFiles {
  const unreadable = files.flatMap(({ problems }) => problems);
  if (files.some(({ value }) => value === undefined)) return { problems: unreadable };

  const foreign = files.flatMap(foreignIn);
  if (foreign.length > 0) return { problems: [...unreadable, ...foreign].sort(byPosition) };
  const description = descriptionOf(files);
  const { cluster, problems: found = [] } = resolve(description);
  const problems = [
    ...unreadable,
    ...misshapenDefaults(files[0]?.value, files.slice(1)),
    ...found.slice(0, maxProblems).map((problem) => locate(files, problem)),
  ];
  return cluster && problems.length === 0 ? { cluster, description } : { problems: problems.sort(byPosition) };
}

/** Of what `init` reads, nothing has keys of ours. */
function foreignIn(file: YamlFile): LocatedProblem[] {
  const { apiVersion, kind, spec } = Object(file.value) as { readonly [key: string]: unknown };
  const { clusterDNS, kubeProxyMode } = Object(spec) as { readonly [key: string]: unknown };
  const isDescription = clusterDNS !== undefined || kubeProxyMode !== undefined;
  const isObject = apiVersion !== undefined && kind !== undefined;
  // As YAML, a Corefile is one long text.
  const isCorefile = typeof file.value === "string" && /^[^{]+ \{ .*\}$/.test(file.value);
  if (!isObject && !isCorefile && !isDescription) return [];
  const is = isObject ? `an object of Kubernetes, ${show(kind)}` : "a Corefile";
  const it = isObject ? "the cluster's objects, as JSON," : "it";
  const message = isDescription
    ? "has what a cluster file says in spec; put the keys of spec at the top, and leave out all others"
    : `is ${is}; accepted: the description of a cluster's DNS; make one from ${it} with \`npx cdk8s-cluster-dns init NAME --from FILE\`, or Import in the editor, and move it to another folder`;
  return [
    { file: file.file, position: file.positionOf(isDescription ? ["spec"] : isObject ? ["kind"] : [], "key"), message },
  ];
}

/** The combined description: the first file with a key wins. */
export function descriptionOf(files: readonly YamlFile[]): unknown {
  return files.map(({ value }) => value).reduceRight((lower, upper) => overlay(lower, upper));
}

/** Values of defaults files of which the combined description has nothing, because a nearer file has a mapping there. */
export function misshapenDefaults(own: unknown, defaults: readonly YamlFile[]): LocatedProblem[] {
  let upper = own;
  return defaults.flatMap((file) => {
    const hidden = hiddenByMappings(file.value, upper);
    upper = overlay(file.value, upper);
    const problems = hidden.flatMap(({ path, value }) =>
      shapeProblems(validate, holding(path, value)).filter((problem) => problem.path.length === path.length),
    );
    return problems.map((problem) => locate([file], problem));
  });
}

/** What is wrong with a defaults file that no cluster has. */
export function misshapenIn(file: YamlFile): readonly LocatedProblem[] {
  // It may have only comments.
  if (file.isEmpty) return [];
  if (file.value === undefined) return file.problems;
  return [...file.problems, ...readAsMeant(file.value).problems.map((problem) => locate([file], problem))];
}

export function locate(files: readonly YamlFile[], problem: Problem): LocatedProblem {
  const file = holderOf(files, problem.path);
  const where = formatPath(problem.path);
  const message = inTermsOfTheFile(file, problem);
  return {
    file: file.file,
    position: file.positionOf(problem.path, problem.at, problem.within),
    message: where ? `${where}: ${message}` : message,
  };
}

/** The file that contains the longest part of a path; on a tie, the first. */
function holderOf(files: readonly YamlFile[], path: Problem["path"]): YamlFile {
  return files.reduce((holder, file) => (file.depthOf(path) > holder.depthOf(path) ? file : holder));
}

// The checks see values, the user sees text: `1.30` is the number 1.3 to them, and only the author of the file can
// quote it.
function inTermsOfTheFile(yaml: YamlFile, { path, at, message }: Problem): string {
  const scalar = at === "value" ? yaml.plainScalarAt(path) : undefined;
  if (!scalar || typeof scalar.value === "string" || scalar.value === null) return message;
  const [misfit] = typeof scalar.value === "number" ? valueRules(holding(path, scalar.source), String) : [];
  if (misfit) return misfit.message;
  const where = formatPath(path);
  const alone = shapeProblems(validate, holding(path, scalar.value), () => scalar.source, whatToWrite);
  const shown = alone.find((each) => each.at === at && formatPath(each.path) === where)?.message ?? message;
  if (!isRefused(path, scalar.value)) return shown;
  // 1.3 is 1.30 that a formatter has seen.
  const texts = [scalar.source, ...(typeof scalar.value === "number" ? [scalar.value.toFixed(2)] : [])];
  const right = texts.find((text) => !isRefused(path, text));
  return right === undefined ? shown : `${shown}; put it in quotes: "${right}"`;
}

/** Whether a value is wrong even alone. */
function isRefused(path: Problem["path"], value: unknown): boolean {
  const where = formatPath(path);
  return resolve(holding(path, value)).problems?.some((problem) => formatPath(problem.path) === where) === true;
}

function byPosition(a: LocatedProblem, b: LocatedProblem): number {
  const [p, q] = [a.position, b.position];
  if (a.file !== b.file) return (a.file ?? "") < (b.file ?? "") ? -1 : 1;
  if (!p || !q) return Number(Boolean(p)) - Number(Boolean(q));
  return p.line - q.line || p.column - q.column;
}
