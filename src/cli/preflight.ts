import { renderCluster } from "../charts/render-cluster";
import { formatProblem } from "../config/located-problem";
import { type Clusters, readClusters } from "../config/read-clusters";
import { checkNodes } from "../output/check-nodes";
import type { Preflight } from "../model/preflight/preflight";
import { type Command, UsageError } from "./command";
import { placementTable } from "./placement-table";
import { lines, print, printError } from "./print";

export const command: Command = {
  help: `Shows which nodes each DNS workload of a cluster would run on, and why not on the others, before you deploy.

Usage: cluster-dns preflight [--clusters DIR] NAME --nodes NODES

  NAME            the cluster
  --clusters DIR  the folder of the cluster files (default: clusters)
  --nodes NODES   the output of \`kubectl get nodes -o json\`: a file, or - for standard input

Nodes do not show kube-proxy's mode. To check it too, include its ConfigMap:
  kubectl -n kube-system get nodes,configmaps -o json | npx cdk8s-cluster-dns preflight prod --nodes -

Exit code 1 when a workload matches no node, or kube-proxy runs in another mode than the file says.
`,
  options: { clusters: { type: "string", default: "clusters" }, nodes: { type: "string" } },

  run(options, names) {
    const [name, ...more] = names;
    if (name === undefined || more.length > 0) throw new UsageError(`takes one cluster, but got ${names.length}`);
    const nodes = options["nodes"];
    if (typeof nodes !== "string")
      throw new UsageError("--nodes is missing; accepted: a file with the output of `kubectl get nodes -o json`, or -");
    return check(readClusters(String(options["clusters"]), [name]), nodes);
  },
};

function check({ clusters: [named], problems }: Clusters, nodes: string): number {
  if (!named || problems.length > 0) return report(problems.map(formatProblem));
  const {
    files: [file],
    cluster,
  } = named;
  const result = checkNodes(nodes, cluster, renderCluster(cluster).components);
  if ("problem" in result) return report([result.problem]);

  print(`${placementTable(result.placements)}\nkube-proxy: ${kubeProxyLine(result.kubeProxyModes)}\n`);
  report(result.warnings.map((message) => formatProblem({ file, message: `warning: ${message}` })));
  return report(result.problems.map((message) => formatProblem({ file, message })));
}

function kubeProxyLine(modes: Preflight["kubeProxyModes"]): string {
  if (modes.length === 0) return "mode not checked: nodes do not show it, and the list lacks its ConfigMap";
  return modes.map(({ mode, source }) => `${mode}, according to ${source}`).join("; ");
}

function report(problems: readonly string[]): number {
  printError(lines(problems));
  return problems.length > 0 ? 1 : 0;
}
