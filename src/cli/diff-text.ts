import { diffArrays, diffLines } from "diff";
import { type Change, whenByHand } from "../model/changes/changes";
import { printCommand } from "../model/command";
import type { Difference } from "../model/kubernetes/differences";
import { printStep, type Step } from "../model/steps/step";
import { formatPath } from "../model/syntax/problem";
import type { ClusterDiff } from "../output/diff-clusters";
import { lines } from "./print";

/** What the next synthesis changes, for a terminal. */
export function asText(diffs: readonly ClusterDiff[]): string {
  return diffs
    .map((diff) =>
      lines([
        diff.name,
        ...warningsOf(diff).map((warning) => `  WARNING: ${printStep(warning)}`),
        ...inOrder(
          diff,
          diff.objects.flatMap((change) => [
            `  ${headline(change)}`,
            ...withCommands(change).flatMap(({ text, commands }) => [
              `      ${text}:`,
              ...commands.map((command) => `        ${printCommand(command)}`),
            ]),
            ...indented(change.differences),
          ]),
          (step) => [`  BY HAND: ${printStep(step)}`, ...(step.by === "kubelet" ? indented(diff.kubelet) : [])],
        ),
      ]),
    )
    .join("\n");
}

/** The same as Markdown, for a comment on a pull request. */
export function asMarkdown(diffs: readonly ClusterDiff[]): string {
  return diffs
    .map((diff) =>
      lines([
        `### ${diff.name}`,
        "",
        ...warningsOf(diff).map((warning) => `- **WARNING: ${printStep(warning)}**`),
        ...inOrder(
          diff,
          diff.objects.map((change) => [headline(change), ...withCommands(change).map(asMarkdownStep)].join("<br>")),
          (step) => [`BY HAND: ${printStep(step)}`],
        ).map((line) => `- ${line}`),
        "",
        "<details><summary>Differences</summary>",
        "",
        "```diff",
        ...diff.objects.flatMap((change) =>
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

function warningsOf({ steps }: ClusterDiff): Step[] {
  return steps.filter(({ isWarning }) => isWarning);
}

function headline(change: Change): string {
  const texts = change.steps.filter(({ commands }) => commands.length === 0).map(({ text }) => text);
  const all = texts.length === 0 ? "" : `: ${texts.join("; ")}`;
  return `${whenByHand(change) ? "BY HAND: " : ""}${change.what} ${change.object}${all}`;
}

/** These take lines of their own, to copy the commands from. */
function withCommands({ steps }: Change): Step[] {
  return steps.filter(({ commands }) => commands.length > 0);
}

function asMarkdownStep({ text, commands }: Step): string {
  return `${text}: ${commands.map((command) => asCode(printCommand(command))).join(", then ")}`;
}

/** What is told of the cluster as a whole, before or after what is told of objects. */
function inOrder({ steps }: ClusterDiff, objects: readonly string[], print: (step: Step) => string[]): string[] {
  const others = steps.filter(({ isWarning }) => !isWarning);
  const at = (time: Step["when"]) => others.filter(({ when }) => when === time).flatMap(print);
  return [...at("before"), ...objects, ...at("after")];
}

function indented(found: readonly Difference[]): string[] {
  return found.flatMap(linesOf).map((line) => `      ${line}`);
}
function linesOf({ path, before, after }: Difference): string[] {
  const where = formatPath(path);
  const parts =
    Array.isArray(before) && Array.isArray(after)
      ? diffArrays(before.map(flow), after.map(flow))
      : isLong(before) && isLong(after)
        ? diffLines(before, after, { ignoreWhitespace: path.at(-1) === "Corefile" })
        : undefined;
  if (parts) {
    const changed = parts.filter(({ added, removed }) => added || removed);
    if (changed.length === 0) return [`${where}: other white space`];
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

/** Between as many backticks as the text does not have. */
function asCode(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}
