import { join } from "node:path";
import { synthesize } from "../output/synthesize";
import type { Command } from "./command";
import { print, printError } from "./print";

export const command: Command = {
  help: `Renders cluster files into manifests, one folder a cluster.

Usage: cluster-dns synth [--clusters DIR] [--out DIR] [--nodes DIR] [NAME...]

  NAME            only these clusters; the files of others stay as they are
  --clusters DIR  the folder of the cluster files, NAME.yaml (default: clusters)
  --out DIR       the folder for the manifests (default: dist)
  --nodes DIR     refuse workloads that no node would run; DIR/NAME.json holds each cluster's \`kubectl get nodes -o json\`

Everything is checked before the first file is written. Files that did not change are not touched. Of the files generated
from this folder of cluster files, those that none leads to any more are deleted; all others are left alone.
`,
  options: {
    clusters: { type: "string", default: "clusters" },
    out: { type: "string", default: "dist" },
    nodes: { type: "string" },
  },

  run(options, names) {
    const out = String(options["out"]);
    if (out === "") {
      printError("--out needs a folder\n");
      return 2;
    }
    const nodes = options["nodes"];
    const result = synthesize(String(options["clusters"]), out, names, typeof nodes === "string" ? nodes : undefined);
    if ("problems" in result) {
      printError(result.problems.map((problem) => `${problem}\n`).join(""));
      return 1;
    }
    print(result.notes.map((note) => `${note}\n`).join(""));
    const { created, changed, deleted, unchanged } = result.written;
    if (deleted.length > 0) print(`deleted: ${list(deleted.map((path) => join(out, path)))}\n`);
    const clusters = result.clusters === 1 ? "1 cluster" : `${result.clusters} clusters`;
    print(
      `${out}: ${clusters}; files: ${created.length} new, ${changed.length} changed, ${deleted.length} deleted, ${unchanged} unchanged\n`,
    );
    return 0;
  },
};

/** The first few, and how many more there are. */
function list(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).join(", ");
  return paths.length > 5 ? `${shown} and ${paths.length - 5} more` : shown;
}
