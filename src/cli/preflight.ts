import { readFileSync } from "node:fs";
import { renderCluster } from "../charts/render-cluster";
import { formatProblem } from "../config/located-problem";
import { reason } from "../config/reason";
import { readClusterFile } from "../config/read-cluster-file";
import type { Cluster } from "../model/cluster/cluster";
import { checkNodes } from "../output/check-nodes";
import type { Preflight } from "../model/preflight/preflight";
import { type Command, UsageError } from "./command";
import { placementTable } from "./placement-table";
import { print, printError } from "./print";

export const command: Command = {
  help: `Shows which nodes each DNS workload of a cluster would run on, and why not on the others, before you deploy.

Usage: cluster-dns preflight FILE --nodes NODES

  FILE           the cluster file: clusters/NAME.yaml
  --nodes NODES  the output of \`kubectl get nodes -o json\`: a file, or - for standard input

Nodes do not show kube-proxy's mode. To check it too, include its ConfigMap:
  kubectl -n kube-system get nodes,configmaps -o json | cluster-dns preflight clusters/prod.yaml --nodes -

Exit code 1 when a workload matches no node, or kube-proxy runs in another mode than the file says.
`,
  options: { nodes: { type: "string" } },

  run(options, names) {
    const [file, ...more] = names;
    if (file === undefined || more.length > 0) throw new UsageError(`takes one cluster file, but got ${names.length}`);
    const nodes = options["nodes"];
    if (typeof nodes !== "string")
      throw new UsageError("--nodes is missing; accepted: a file with the output of `kubectl get nodes -o json`, or -");
    return check(file, nodes);
  },
};

function check(file: string, nodes: string): number {
  const read = readCluster(file);
  if ("problems" in read) return report(read.problems);
  const result = checkNodes(nodes, read.cluster, renderCluster(read.cluster).components);
  if ("problem" in result) return report([result.problem]);

  print(`${placementTable(result.placements)}\nkube-proxy: ${kubeProxyLine(result.kubeProxyModes)}\n`);
  report(result.warnings.map((message) => formatProblem({ file, message: `warning: ${message}` })));
  return report(result.problems.map((message) => formatProblem({ file, message })));
}

function kubeProxyLine(modes: Preflight["kubeProxyModes"]): string {
  if (modes.length === 0) return "mode not checked: nodes do not show it, and the list lacks its ConfigMap";
  return modes.map(({ mode, source }) => `${mode}, according to ${source}`).join("; ");
}

function readCluster(file: string): { readonly cluster: Cluster } | { readonly problems: readonly string[] } {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    return { problems: [`${file}: cannot be read (${reason(error)})`] };
  }
  const read = readClusterFile(file, bytes);
  return "problems" in read ? { problems: read.problems.map(formatProblem) } : read;
}

function report(lines: readonly string[]): number {
  printError(lines.map((line) => `${line}\n`).join(""));
  return lines.length > 0 ? 1 : 0;
}
