import { formatNote, notesOf } from "../config/located-problem";
import { readDescription } from "../config/read-description";
import { inDocs } from "../model/docs";
import type { Derived } from "../model/effective/by-size";
import type { KeySchema } from "../model/effective/every-key";
import { type Block, blocksOf, headOf, stateOf } from "../model/query-path/blocks";
import { commandWith, taking, oneCluster } from "./command";
import { explain, type Value } from "./explanation";
import { choiceOf, report } from "./outcome";
import { ownFile } from "./own-file";
import { pathMermaid } from "./path-mermaid";
import { pathSvg } from "./path-svg";
import { lines, printError } from "./print";

export const command = commandWith({
  help: `Shows the values in effect for a cluster, where each comes from, and the path of a query.

Usage: npx cdk8s-cluster-dns explain [--clusters DIR] [--set] [--format text|mermaid|svg|json] NAME

  NAME             the cluster
  --clusters DIR   the folder of the cluster files (default: clusters)
  --set            only values that a file sets, or that follow from these
  --format FORMAT  text: values and paths; mermaid, svg: a picture of the paths; json: everything (default: text)
`,
  namesClusters: true,
  options: { ...taking("clusters"), set: { type: "boolean" }, ...taking("format") },

  run(options, names) {
    const folder = options.clusters;
    const name = oneCluster(names, folder);
    const format = choiceOf("format", options.format, ["text", "mermaid", "svg", "json"]);
    const read = readDescription(folder, name);
    if ("problems" in read) return report(read, format === "json", () => "");
    const notes = notesOf(read.files[0], read.cluster);
    const schema = JSON.parse(ownFile("clusters/schema.json")) as KeySchema;
    const result = explain(read, schema, options.set);
    return report({ problems: [], notes, result }, format === "json", (explanation) => {
      printError(lines(notes.map(formatNote)));
      const blocks = blocksOf(explanation.paths);
      if (format === "mermaid") return pathMermaid(blocks);
      if (format === "svg") return pathSvg(name, blocks);
      return [valuesText(explanation.values), derivedText(explanation.derived), pathText(blocks)].join("\n");
    });
  },
});

function valuesText(values: readonly Value[]): string {
  const rows = values.map((value) => ({ value, text: `${value.key}: ${shown(value)}` }));
  // A few long values do not move the rest apart.
  const width = Math.min(60, Math.max(...rows.map(({ text }) => text.length)));
  return lines(rows.map(({ value, text }) => `${text.padEnd(width)}  # ${source(value)}`));
}

function derivedText(derived: readonly Derived[]): string {
  const sources = `formulas by size, and their sources: ${inDocs("scale")}`;
  return lines([...derived.map(({ what, value, because }) => `${what}: ${value}  # ${because}`), sources]);
}

function pathText(blocks: readonly Block[]): string {
  const width = Math.max(...blocks.flatMap(({ paths }) => paths.map((path) => stateOf(path).length)));
  return lines(
    blocks.flatMap((block) => [
      headOf(block),
      ...block.paths.flatMap((path) => [
        `  ${stateOf(path).padEnd(width)}${path.hops.map(({ text }) => ` -> ${text}`).join("")}`.replace(
          /^ {3,}->/,
          "  ->",
        ),
        ...(path.lostUntil ? [`  ${"".padEnd(width)}    lost until ${path.lostUntil}`] : []),
      ]),
    ]),
  );
}

function shown({ value }: Value): string {
  if (value === null) return "";
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}

function source({ from, remark }: Value): string {
  return from ? `${from.file}:${from.line}` : (remark ?? "default");
}
