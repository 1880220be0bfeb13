import { join } from "node:path";
import { kindOf } from "../config/kind-of";
import { formatNote, type LocatedProblem } from "../config/located-problem";
import { checkAgainst } from "../live/check-nodes";
import { shellWord } from "../model/syntax/shell-word";
import { some } from "../model/syntax/some";
import type { Written } from "../output/comparison";
import { synthesize } from "../output/synthesize";
import { isChange } from "../output/write-files";
import { commandWith, taking, UsageError } from "./command";
import { printsJson, report } from "./outcome";
import { lines } from "./print";
import { progress } from "./progress";

export const command = commandWith({
  help: `Renders cluster files into manifests, one folder per cluster.

Usage: npx cdk8s-cluster-dns synth [--clusters DIR] [--out DIR] [--nodes DIR] [--check] [--quiet] [--format text|json] [NAME...]

  NAME            only these clusters; the files of others stay as they are
  --clusters DIR  the folder of the cluster files, NAME.yaml (default: clusters)
  --out DIR       the folder for the manifests (default: dist)
  --nodes DIR     refuse workloads that no node would run; DIR/NAME.json holds each cluster's \`kubectl get nodes -o json\`
  --check         write nothing; exit code 1 if something would change, naming the files
  -q, --quiet     print only problems
  --format json   print problems, notes and what was written as JSON

Everything is checked before the first file is written. Files that did not change are not touched. A file that was
generated from this folder of cluster files, and is no longer rendered, is deleted. All others are left alone.
`,
  namesClusters: true,
  options: {
    ...taking("clusters", "out"),
    nodes: { type: "string" },
    check: { type: "boolean" },
    quiet: { type: "boolean", short: "q" },
    ...taking("format"),
  },

  run(options, names) {
    const { clusters: clustersFolder, out: outputFolder, nodes } = options;
    const isJson = printsJson(options);
    if (nodes !== undefined && kindOf(nodes) === "file")
      throw new UsageError(`--nodes ${nodes} is a file; accepted: a folder, with a file NAME.json for each cluster`);
    const { show, clear } = progress("rendering");
    const result = synthesize(
      {
        clustersFolder,
        outputFolder,
        names,
        check: nodes === undefined ? undefined : (rendering) => checkAgainst(nodes, rendering),
        onProgress: show,
      },
      options.check,
    );
    clear();
    if ("problems" in result) return report(result, isJson, () => "");
    const { clusters, written, notes } = result;
    const problems = options.check && isChange(written) ? stale(outputFolder, asWords(options, names), written) : [];
    const { kept: _, ...files } = written;
    // A note may say why files are stale.
    const summed = problems.length > 0 ? [] : summary(outputFolder, clusters, written);
    return report({ problems, notes, result: { clusters, ...files } }, isJson, () =>
      options.quiet ? "" : lines([...notes.map(formatNote), ...summed]),
    );
  },
});

function stale(out: string, remedy: string, { created, changed, deleted }: Written): LocatedProblem[] {
  const listed = (message: string, paths: readonly string[]) =>
    paths.map((path): LocatedProblem => ({ file: join(out, path), message }));
  return [
    ...listed("is missing", created),
    ...listed("is stale", changed),
    ...listed("should not exist", deleted),
    { message: `${out} does not match the cluster files; run ${remedy}` },
  ];
}

/** The command with the clusters, and the folders that are not the usual. */
function asWords(options: { readonly [folder in "clusters" | "out"]: string }, names: readonly string[]): string {
  const named = (["clusters", "out"] as const).filter((name) => options[name] !== command.options[name].default);
  const folders = named.map((name) => `--${name} ${shellWord(options[name])}`);
  return ["npx cdk8s-cluster-dns synth", ...folders, ...names.map(shellWord)].join(" ");
}

function summary(out: string, count: number, { created, changed, deleted, unchanged }: Written): string[] {
  const clusters = count === 1 ? "1 cluster" : `${count} clusters`;
  return [
    ...(deleted.length > 0 ? [`deleted: ${some(deleted.map((path) => join(out, path)))}`] : []),
    `${out}: ${clusters}; files: ${created.length} new, ${changed.length} changed, ${deleted.length} deleted, ${unchanged} unchanged`,
  ];
}
