import { diffLive } from "../live/diff-live";
import { whenByHand } from "../model/changes/changes";
import type { Difference } from "../model/kubernetes/differences";
import { printStep } from "../model/steps/step";
import { formatPath } from "../model/syntax/problem";
import { diffClusters, type ClusterDiff } from "../output/diff-clusters";
import { commandWith, taking, UsageError } from "./command";
import { asMarkdown, asText } from "./diff-text";
import { choiceOf, type Outcome, report } from "./outcome";
import { formatLines } from "./print";

export const command = commandWith({
  help: `Shows what the next synth changes, and the effects: which pods are replaced, what is deleted, what must be done by hand.

Usage: npx cdk8s-cluster-dns diff [--clusters DIR] [--out DIR] [--format text|markdown|json] [NAME...]
       npx cdk8s-cluster-dns diff --live [--clusters DIR] [--context CONTEXT] [--field-manager MANAGER] [NAME]

  NAME             only these clusters
  --clusters DIR   the folder of the cluster files (default: clusters)
  --out DIR        the folder of the manifests (default: dist)
  --format FORMAT  markdown: for a comment on a pull request; json (default: text)
  --live           what applying the objects changes in the cluster itself, by a dry run of kubectl on its API server
  --context        kubectl's context (default: its current one)
  --field-manager  who applies them: kubectl, argocd-controller, kustomize-controller (default: kubectl)

Writes nothing. Exit code 0, even if something changes: \`npx cdk8s-cluster-dns synth --check\` fails then.
`,
  namesClusters: true,
  options: {
    ...taking("clusters", "out", "format"),
    live: { type: "boolean" },
    ...taking("context"),
    "field-manager": { type: "string", default: "kubectl" },
  },

  run(options, names) {
    const format = choiceOf("format", options.format, ["text", "markdown", "json"]);
    const { clusters: clustersFolder, out: outputFolder, context, "field-manager": fieldManager } = options;
    const [name, ...more] = names;
    if (options.live && more.length > 0) throw new UsageError(`--live takes one cluster, but got ${names.length}`);
    if (!options.live && context !== undefined) throw new UsageError("--context needs --live");
    const found = <Shown>(show: (diff: ClusterDiff) => Shown): Outcome<readonly Shown[]> => {
      if (!options.live) {
        const { problems, diffs } = diffClusters({ clustersFolder, outputFolder, names }, show);
        return { problems, result: problems.length === 0 ? diffs : undefined };
      }
      const { problems, diffs } = diffLive({ clustersFolder, name, context, fieldManager });
      return { problems, result: problems.length === 0 || diffs.length > 0 ? diffs.map(show) : undefined };
    };
    if (format === "json") {
      const { problems, result } = found(asJson);
      return report({ problems, result: result && { clusters: result } }, true, () => "");
    }
    const nothing = "nothing changes\n";
    return format === "markdown"
      ? report(found(asMarkdown), false, (texts) => (texts.length === 0 ? nothing : texts.join("\n")))
      : report(
          found((diff) => formatLines(asText(diff)).formatted),
          false,
          (texts) => (texts.length === 0 ? nothing : { formatted: texts.join("\n") }),
        );
  },
});

/** As docs/reading.md lists it: texts for people, steps for programs. */
function asJson({ name, steps, objects, kubelet, kubeletFolder }: ClusterDiff): object {
  const flat = ({ path, before, after }: Difference) => ({ path: formatPath(path), before, after });
  const kubeletWhen = steps.find(({ by }) => by === "kubelet")?.when;
  return {
    name,
    warnings: steps.filter(({ isWarning }) => isWarning).map(printStep),
    steps,
    objects: objects.map((change) => ({
      ...change,
      differences: change.differences.map(flat),
      effects: change.steps.map(printStep),
      needsHand: whenByHand(change) !== undefined,
      when: whenByHand(change),
    })),
    kubelet: kubelet.map(flat),
    kubeletFolder,
    kubeletWhen,
  };
}
