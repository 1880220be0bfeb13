import { doctor, type Diagnosis } from "../live/doctor";
import { inDocs } from "../model/docs";
import { severities } from "../model/doctor/diagnose";
import type { Finding } from "../model/doctor/finding";
import { type Command, UsageError } from "./command";
import { formatOf, report } from "./outcome";
import { lines } from "./print";

export const command: Command = {
  help: `Says what is wrong with the DNS of a running cluster, and what to do about it: reads it with kubectl, and changes nothing.

Usage: npx cdk8s-cluster-dns doctor [--clusters DIR] [--out DIR] [--context CONTEXT] [--format text|json] [NAME]
       kubectl cluster-dns doctor ...

  NAME             the cluster's file (default: the only one in the folder; without any, less is checked)
  --clusters DIR   the folder of the cluster files (default: clusters)
  --out DIR        the folder of the manifests, for the commands it prints (default: dist)
  --context        kubectl's context (default: its current one)
  --format json    print findings as JSON

Needs kubectl on the PATH and rights to read: nodes, namespaces, pods and their logs; in kube-system Services,
ConfigMaps, EndpointSlices, Deployments, DaemonSets, Jobs, NetworkPolicies and events; webhook configurations;
nodes/proxy and pods/proxy for kubelets and metrics. What it may not read is a finding. It never reads Secrets.

Exit code 1 with errors: names do not resolve somewhere, or soon will not. ${inDocs("doctor")} explains the findings.
`,
  options: {
    clusters: { type: "string", default: "clusters" },
    out: { type: "string", default: "dist" },
    context: { type: "string" },
    format: { type: "string", default: "text" },
  },

  async run(options, names) {
    const [name, ...more] = names;
    if (more.length > 0) throw new UsageError(`takes one cluster, but got ${names.length}`);
    const isJson = formatOf(options, ["text", "json"]) === "json";
    const { context } = options;
    const { problems, diagnosis } = await doctor({
      clustersFolder: String(options["clusters"]),
      outputFolder: String(options["out"]),
      name,
      context: typeof context === "string" ? context : undefined,
    });
    const exitCode = report({ problems, result: diagnosis }, isJson, asText);
    return diagnosis?.findings.some(({ severity }) => severity === "error") ? 1 : exitCode;
  },
};

function asText({ findings, node, lookedAt }: Diagnosis): string {
  const counts = severities
    .map((severity) => ({ severity, count: findings.filter((each) => each.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => `${count} ${severity}${count === 1 || severity === "info" ? "" : "s"}`);
  return lines([
    counts.length === 0 ? "nothing found" : counts.join(", "),
    ...(node === undefined ? [] : [`errors and warnings are all on node ${node}: look there first`]),
    "",
    ...findings.flatMap((finding) => [...linesOf(finding), ""]),
    "looked at:",
    ...lookedAt.map((each) => inOneLine(`  ${each}`)),
  ]);
}

function linesOf({ severity, where, title, evidence, next }: Finding): string[] {
  const told = [
    `${severity.toUpperCase()}: ${where}: ${title}`,
    ...evidence.map((line) => `  ${line}`),
    ...next.map((each) => `  $ ${each}`),
  ];
  return told.map(inOneLine);
}

/** A node or a pod that says several lines must not look like another finding, with commands of its own. */
function inOneLine(text: string): string {
  // Whitespace before is left: to look for it would take long in a text that is all of it.
  return text.replaceAll(/[\r\n]\s*/g, " ");
}
