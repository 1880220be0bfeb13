import type { Cluster } from "../../../../rig/cluster/cluster";
import { attempt } from "../../../../rig/run";
import { tool } from "../../../../rig/tools";
import { ginkgo, type CaseReport } from "./ginkgo";
import { readText } from "../../../../rig/repository";

/** Regular expressions: all about DNS, and the conformance cases that reach a Service by its name. */
const aboutNames = [
  String.raw`\[sig-network\] DNS`,
  String.raw`\[sig-network\] Services should (be able to (change the type|create a functioning|switch session)|have session affinity|serve a basic|serve multiport).*\[Conformance\]`,
  String.raw`\[sig-network\] Services should create endpoints for unready pods`,
];

/** The suite's cases about names, which it lists without a cluster. */
export async function casesAboutNames(): Promise<string[]> {
  return (await ginkgo(attempt, [...aboutNames.map(focus), "--dry-run"], [])).map(({ name }) => name).sort();
}

/** Runs cases on a cluster. */
export function runCases(cluster: Cluster, names: readonly string[]): Promise<CaseReport[]> {
  const exactly = names.map((name) => focus(` ${name.replaceAll(/[^\w ]/g, String.raw`\$&`)}$`));
  return ginkgo(
    (argv, options) => cluster.controlPlane.attempt(argv, options),
    [...exactly, "--procs=4"], // they wait more than they compute
    [`--kubeconfig=${cluster.names.file("pki", "admin.conf")}`, `--kubectl-path=${tool("kubernetes", "kubectl")}`],
  );
}

function focus(expression: string): string {
  return `--focus=${expression}`;
}

/** The cases that do not run: the table of docs/kubernetes-suite.md, which has the reason of each. */
export function departures(): string[] {
  const page = readText("docs/kubernetes-suite.md");
  return [...page.matchAll(/^\| `(\[sig-[^`]*)` /gm)].map(([, name = ""]) => name);
}
