import { diffArrays, diffLines } from "diff";
import type { Change } from "../model/changes/changes";
import { inDocs } from "../model/docs";
import type { Difference } from "../model/kubernetes/differences";
import { formatPath } from "../model/syntax/problem";
import type { ClusterDiff } from "../output/diff-clusters";
import { lines } from "./print";

/** What the next synthesis changes, for a terminal. */
export function asText(diffs: readonly ClusterDiff[]): string {
  return diffs
    .map(({ name, warnings, objects, ...diff }) =>
      lines([
        name,
        ...warnings.map((warning) => `  WARNING: ${warning}`),
        ...aroundCommit(
          diff,
          objects.flatMap((change) => indented(headline(change), change.differences)),
          kubeletHeadlines(diff).flatMap((line) => indented(line, diff.kubelet)),
        ),
      ]),
    )
    .join("\n");
}

/** The same as Markdown, for a comment on a pull request. */
export function asMarkdown(diffs: readonly ClusterDiff[]): string {
  return diffs
    .map(({ name, warnings, objects, ...diff }) =>
      lines([
        `### ${name}`,
        "",
        ...warnings.map((warning) => `- **WARNING: ${warning}**`),
        ...aroundCommit(diff, objects.map(headline), kubeletHeadlines(diff)).map((line) => `- ${line}`),
        "",
        "<details><summary>Differences</summary>",
        "",
        "```diff",
        ...objects.flatMap((change) =>
          change.differences.length > 0 ? [`# ${change.object}`, ...change.differences.flatMap(linesOf)] : [],
        ),
        ...diff.kubelet.flatMap(linesOf),
        "```",
        "",
        "</details>",
      ]),
    )
    .join("\n");
}

function headline({ what, object, effects, needsHand }: Change): string {
  return `${needsHand ? "BY HAND: " : ""}${what} ${object}${effects.length > 0 ? `: ${effects.join("; ")}` : ""}`;
}

type Kubelets = Pick<ClusterDiff, "kubelet" | "kubeletFolder" | "kubeletWhen">;

function kubeletHeadlines({ kubelet, kubeletFolder, kubeletWhen }: Kubelets): string[] {
  if (kubelet.length === 0) return [];
  const file = `with a file of ${kubeletFolder}${kubeletWhen === "before" ? " as the commit has it" : ""}`;
  return [`BY HAND: reconfigure the kubelets ${kubeletWhen} the commit, ${file} (${inDocs("modes", "Kubelets")})`];
}

/** What is told of kubelets, before or after what is told of objects. */
function aroundCommit({ kubeletWhen }: Kubelets, objects: readonly string[], kubelets: readonly string[]): string[] {
  return kubeletWhen === "before" ? [...kubelets, ...objects] : [...objects, ...kubelets];
}

function indented(line: string, found: readonly Difference[]): string[] {
  return [`  ${line}`, ...found.flatMap(linesOf).map((each) => `      ${each}`)];
}

function linesOf({ path, before, after }: Difference): string[] {
  const where = formatPath(path);
  const parts =
    Array.isArray(before) && Array.isArray(after)
      ? diffArrays(before.map(flow), after.map(flow))
      : isLong(before) && isLong(after)
        ? diffLines(before, after)
        : undefined;
  if (parts) {
    const changed = parts.filter(({ added, removed }) => added || removed);
    return [
      `${where}:`,
      ...changed.flatMap(({ added, value }) => toLines(value).map((line) => `${added ? "+" : "-"} ${line}`)),
    ];
  }
  return [
    ...(before === undefined ? [] : [`- ${where}: ${flow(before)}`]),
    ...(after === undefined ? [] : [`+ ${where}: ${flow(after)}`]),
  ];
}

function toLines(value: string | string[]): string[] {
  return typeof value === "string" ? value.replace(/\n$/, "").split("\n") : value;
}

function isLong(value: unknown): value is string {
  return typeof value === "string" && value.includes("\n");
}

/** On one line: others would be taken for lines of the page. */
function flow(value: unknown): string {
  return typeof value === "string" && !value.includes("\n") ? value : JSON.stringify(value);
}
