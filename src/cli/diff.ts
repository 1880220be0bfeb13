import { diffClusters } from "../output/diff-clusters";
import type { Command } from "./command";
import { asMarkdown, asText } from "./diff-text";
import { lines, print, printError } from "./print";

export const command: Command = {
  help: `Shows what the next synth changes, and the effects: which pods are replaced, what is deleted, what must be done by hand.

Usage: cluster-dns diff [--clusters DIR] [--out DIR] [--markdown] [NAME...]

  NAME            only these clusters
  --clusters DIR  the folder of the cluster files (default: clusters)
  --out DIR       the folder of the manifests (default: dist)
  --markdown      for a comment on a pull request

Writes nothing. Exit code 0, even if something changes: \`cluster-dns synth --check\` fails then.
`,
  options: {
    clusters: { type: "string", default: "clusters" },
    out: { type: "string", default: "dist" },
    markdown: { type: "boolean", default: false },
  },

  run(options, names) {
    const { problems, diffs } = diffClusters({
      clustersFolder: String(options["clusters"]),
      outputFolder: String(options["out"]),
      names,
    });
    if (problems.length > 0) {
      printError(lines(problems));
      return 1;
    }
    print(diffs.length === 0 ? "nothing changes\n" : (options["markdown"] === true ? asMarkdown : asText)(diffs));
    return 0;
  },
};
