import { diffArrays, diffLines } from "diff";
import type { Change } from "../model/changes/changes";
import type { Difference } from "../model/changes/differences";
import { inDocs } from "../model/docs";
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
        ...objects.flatMap((change) => [
          `  ${headline(change)}`,
          ...change.differences.flatMap(linesOf).map((line) => `      ${line}`),
        ]),
        ...kubeletLines(diff).map((line, i) => (i === 0 ? `  ${line}` : `      ${line}`)),
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
        ...objects.map((change) => `- ${headline(change)}`),
        ...kubeletLines(diff)
          .slice(0, 1)
          .map((line) => `- ${line}`),
        "",
        "<details><summary>Differences</summary>",
        "",
        "```diff",
        ...objects.flatMap((change) =>
          change.differences.length > 0 ? [`# ${change.object}`, ...change.differences.flatMap(linesOf)] : [],
        ),
        ...kubeletLines(diff).slice(1),
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

function kubeletLines({ kubelet, kubeletFolder }: Pick<ClusterDiff, "kubelet" | "kubeletFolder">): string[] {
  if (kubelet.length === 0) return [];
  const how = `after the commit, with a file of ${kubeletFolder} (${inDocs("modes", "Kubelets")})`;
  return [`BY HAND: reconfigure the kubelets ${how}`, ...kubelet.flatMap(linesOf)];
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
