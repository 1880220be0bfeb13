import { diffArrays, diffLines } from "diff";
import { type Change, whenByHand } from "../model/changes/changes";
import { printCommand } from "../model/command";
import type { Difference } from "../model/kubernetes/differences";
import { printStep, type Step } from "../model/steps/step";
import { formatPath } from "../model/syntax/problem";
import type { ClusterDiff } from "../output/diff-clusters";
import { lines, type Line } from "./print";

export function asText(diff: ClusterDiff): Line[] {
  return [
    { text: `${diff.name}: ${summary(diff)}`, style: "heading" },
    ...warningsOf(diff).map((warning): Line => ({ text: `  WARNING: ${printStep(warning)}`, style: "urgent" })),
    ...inOrder(
      diff,
      diff.objects.flatMap((change) => [
        { text: `  ${headline(change)}`, style: styleOf(change) },
        ...withCommands(change).flatMap(({ text, commands }) => [
          { text: `      ${text}:` },
          ...commands.map((command) => ({ text: `        ${printCommand(command)}` })),
        ]),
        ...indented(change.differences),
      ]),
      (step) => [
        { text: `  BY HAND: ${printStep(step)}`, style: "urgent" },
        ...(step.by === "kubelet" ? indented(diff.kubelet) : []),
      ],
    ),
  ];
}

function styleOf(change: Change): Line["style"] {
  if (whenByHand(change)) return "urgent";
  return ({ new: "added", changed: "heading", deleted: "removed" } as const)[change.what];
}

/** `3 new, 1 deleted, 1 warning, 2 by hand` */
function summary(diff: ClusterDiff): string {
  const { objects, steps } = diff;
  const of = (what: Change["what"]) => objects.filter((change) => change.what === what).length;
  const warnings = warningsOf(diff).length;
  const byHand = objects.filter(whenByHand).length + steps.length - warnings;
  const counts: [count: number, what: string][] = [
    [of("new"), "new"],
    [of("changed"), "changed"],
    [of("deleted"), "deleted"],
    [warnings, warnings === 1 ? "warning" : "warnings"],
    [byHand, "by hand"],
  ];
  return counts
    .filter(([count]) => count > 0)
    .map((count) => count.join(" "))
    .join(", ");
}

export function asMarkdown(diff: ClusterDiff): string {
  const differences = [
    ...diff.objects.flatMap((change) =>
      change.differences.length > 0
        ? [`# ${change.object}`, ...change.differences.flatMap(linesOf).map(({ text }) => text)]
        : [],
    ),
    ...diff.kubelet.flatMap(linesOf).map(({ text }) => text),
  ];
  const details = [
    "",
    "<details><summary>Differences</summary>",
    "",
    "```diff",
    ...differences,
    "```",
    "",
    "</details>",
  ];
  return lines([
    `### ${diff.name}: ${summary(diff)}`,
    "",
    ...warningsOf(diff).map((warning) => `- **WARNING: ${printStep(warning)}**`),
    ...inOrder(
      diff,
      diff.objects.map((change) => [headline(change), ...withCommands(change).map(asMarkdownStep)].join("<br>")),
      (step) => [`BY HAND: ${printStep(step)}`],
    ).map((line) => `- ${line}`),
    // A new cluster differs from nothing.
    ...(differences.length > 0 ? details : []),
  ]);
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
function inOrder<T>({ steps }: ClusterDiff, objects: readonly T[], print: (step: Step) => readonly T[]): T[] {
  const others = steps.filter(({ isWarning }) => !isWarning);
  const at = (time: Step["when"]) => others.filter(({ when }) => when === time).flatMap(print);
  return [...at("before"), ...objects, ...at("after")];
}

function indented(found: readonly Difference[]): Line[] {
  return found.flatMap(linesOf).map((line) => ({ ...line, text: `      ${line.text}` }));
}

function linesOf({ path, before, after }: Difference): Line[] {
  const where = formatPath(path);
  const parts =
    Array.isArray(before) && Array.isArray(after)
      ? diffArrays(before.map(flow), after.map(flow))
      : isLong(before) && isLong(after)
        ? diffLines(before, after, { ignoreWhitespace: path.at(-1) === "Corefile" })
        : undefined;
  if (!parts)
    return [
      ...(before === undefined ? [] : [removed(`${where}: ${flow(before)}`)]),
      ...(after === undefined ? [] : [added(`${where}: ${flow(after)}`)]),
    ];
  const changed = parts.filter((part) => part.added || part.removed);
  if (changed.length === 0) return [{ text: `${where}: other white space` }];
  return [{ text: `${where}:` }, ...changed.flatMap((part) => toLines(part.value).map(part.added ? added : removed))];
}

function added(text: string): Line {
  return { text: `+ ${text}`, style: "added" };
}

function removed(text: string): Line {
  return { text: `- ${text}`, style: "removed" };
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
