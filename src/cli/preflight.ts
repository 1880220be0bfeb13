import { join } from "node:path";
import { renderCluster } from "../charts/render-cluster";
import { kindOf } from "../config/kind-of";
import { formatNote } from "../config/located-problem";
import { readCluster } from "../config/read-clusters";
import { checkNodes, located, type Nodes } from "../live/check-nodes";
import { printedBy } from "../live/kubectl";
import { namespace } from "../model/object-names";
import type { Preflight } from "../model/preflight/preflight";
import { grouped } from "../model/syntax/grouped";
import { some } from "../model/syntax/some";
import { commandWith, taking, UsageError, oneCluster } from "./command";
import { printsJson, type Outcome, report } from "./outcome";
import { lines, printError } from "./print";

export const command = commandWith({
  help: `Shows which nodes each DNS workload of a cluster would run on, and why not on the others, before you deploy.

Usage: npx cdk8s-cluster-dns preflight [--clusters DIR] [--format text|json] NAME --context CONTEXT
       npx cdk8s-cluster-dns preflight [--clusters DIR] [--format text|json] NAME --nodes NODES

  NAME               the cluster
  --clusters DIR     the folder of the cluster files (default: clusters)
  --context CONTEXT  get nodes and kube-proxy's mode with kubectl, using this context
  --nodes NODES      the output of \`kubectl get nodes -o json\`: a file, a folder with NAME.json, or - for standard input
  --format json      print placements, warnings and problems as JSON

Nodes do not show kube-proxy's mode. To check the mode too, include ConfigMaps and DaemonSets:
  kubectl -n kube-system get nodes,configmaps,daemonsets -o json | npx cdk8s-cluster-dns preflight prod --nodes -

Exit code 1 when a workload matches no node, or kube-proxy runs in another mode than the file says.
`,
  namesClusters: true,
  options: { ...taking("clusters", "context"), nodes: { type: "string" }, ...taking("format") },

  run(options, names) {
    const name = oneCluster(names, options.clusters);
    const nodes = nodesOf(name, options.context, options.nodes);
    const isJson = printsJson(options);
    const outcome = check(readCluster(options.clusters, name), nodes);
    if (!isJson) printError(lines((outcome.notes ?? []).map(formatNote)));
    return report(outcome, isJson, asText);
  },
});

/** As of `synth --nodes`, a folder holds a file for each cluster. */
function nodesOf(name: string, context: string | undefined, nodes: string | undefined): Nodes {
  if (context !== undefined && nodes !== undefined) throw new UsageError("--nodes and --context exclude each other");
  // For the nodes, and what shows kube-proxy's mode.
  const args = ["-n", namespace, "get", "nodes,configmaps,daemonsets", "-o", "json"];
  if (context !== undefined) return { ask: () => printedBy(args, context) };
  if (nodes !== undefined) return { file: kindOf(nodes) === "folder" ? join(nodes, `${name}.json`) : nodes };
  throw new UsageError(
    "--nodes is missing; accepted: a file with the output of `kubectl get nodes -o json`, a folder with NAME.json, or -; or --context",
  );
}

type Result = Pick<Preflight, "placements" | "kubeProxyModes">;

function check(named: ReturnType<typeof readCluster>, nodes: Nodes): Outcome<Result> {
  if ("problems" in named) return named;
  const { files, cluster } = named;
  const found = checkNodes(nodes, cluster, renderCluster(cluster).components);
  if ("problem" in found) return { problems: [{ message: found.problem }] };
  const { problems: wrong, warnings } = located(found, files);
  return {
    problems: wrong,
    notes: warnings,
    result: { placements: found.placements, kubeProxyModes: found.kubeProxyModes },
  };
}

function asText({ placements, kubeProxyModes }: Result): string {
  return `${placements.map(workloadTable).join("\n")}\nkube-proxy: ${kubeProxyLine(kubeProxyModes)}\n`;
}

/** The nodes that a workload runs on, then the others grouped by what rules them out. */
function workloadTable({ workload, matches }: Preflight["placements"][number]): string {
  const matching = matches.filter(({ reasons }) => reasons.length === 0);
  // Matching nodes first, whatever the order of the list.
  const inOrder = [...new Set([...matching, ...matches])];
  const rows = grouped(inOrder, ({ reasons }) =>
    reasons.length === 0 ? "runs" : `does not run: ${reasons.join("; ")}`,
  );
  const shown = rows.map(([verdict, same]) => {
    const nodes = same.map(({ node }) => node);
    return [some(nodes, 8), verdict] as const;
  });
  const width = Math.max(...shown.map(([nodes]) => nodes.length));
  const body = shown.map(([nodes, verdict]) => `  ${nodes.padEnd(width)}  ${verdict}\n`);
  return `${workload.kind} ${workload.name}: ${matching.length} of ${matches.length} nodes\n${body.join("")}`;
}

function kubeProxyLine(modes: Preflight["kubeProxyModes"]): string {
  if (modes.length === 0) return "mode not checked: nodes do not show it, and the list lacks its ConfigMap";
  return modes.map(({ mode, source }) => `${mode}, according to ${source}`).join("; ");
}
