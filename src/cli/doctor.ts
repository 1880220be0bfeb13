import { inDocs } from "../model/docs";
import { severities } from "../model/doctor/diagnose";
import type { Finding } from "../model/doctor/finding";
import type { Severity } from "../model/doctor/findings";
import { printSuggestion } from "../model/doctor/suggestions";
import { doctor, type Diagnosis } from "../live/doctor";
import { commandWith, taking, UsageError } from "./command";
import { choiceOf, printsJson, report } from "./outcome";
import { type Formatted, formatLines, type Line } from "./print";

export const command = commandWith({
  help: `Says what is wrong with the DNS of a running cluster, and what to do about it: reads it with kubectl, and changes nothing.

Usage: npx cdk8s-cluster-dns doctor [--clusters DIR] [--out DIR] [--context CONTEXT] [--format text|json]
         [--fail-on error|warning] [NAME]
       kubectl cluster-dns doctor ...

  NAME             the cluster's file (default: the only one in the folder; without any, less is checked)
  --clusters DIR   the folder of the cluster files (default: clusters)
  --out DIR        the folder of the manifests, for the commands it prints (default: dist)
  --context        kubectl's context (default: its current one)
  --format json    print findings as JSON
  --fail-on        the least severity with which the exit code is 1: error (default) or warning

Needs kubectl on the PATH and rights to read: nodes, namespaces, pods and their logs; in kube-system, and where the
cluster's own DNS is, Services, ConfigMaps, EndpointSlices, Deployments, DaemonSets and NetworkPolicies; in kube-system
also Jobs, Leases and events; webhook configurations; what else the cluster file renders, by its name; nodes/proxy and
pods/proxy for kubelets, kube-proxies and metrics. What it may not read is a finding. It never reads Secrets.

Exit code 0: nothing is wrong. 1: names do not resolve somewhere, or soon will not, or the cluster could not be asked.
2: the command line is wrong. ${inDocs("doctor")} explains the findings.
`,
  namesClusters: true,
  options: { ...taking("clusters", "out", "context", "format"), "fail-on": { type: "string", default: "error" } },

  async run(options, names) {
    const [name, ...more] = names;
    if (more.length > 0) throw new UsageError(`takes one cluster, but got ${names.length}`);
    const isJson = printsJson(options);
    const least = choiceOf("fail-on", options["fail-on"], ["error", "warning"]);
    const { clusters: clustersFolder, out: outputFolder, context } = options;
    const { problems, diagnosis } = await doctor({ clustersFolder, outputFolder, name, context });
    const exitCode = report({ problems, result: diagnosis && withCommands(diagnosis) }, isJson, diagnosisText);
    return diagnosis?.findings.some(({ severity }) => severity === "error" || severity === least) ? 1 : exitCode;
  },
});

type Printed = Omit<Diagnosis, "context" | "findings"> & {
  readonly findings: readonly (Omit<Finding, "next"> & { readonly next: readonly string[] })[];
};

/** A diagnosis with its commands as somebody types them. */
export function withCommands({ findings, context, ...rest }: Diagnosis): Printed {
  return {
    findings: findings.map(({ next, ...each }) => ({
      ...each,
      next: next.map((step) => printSuggestion(step, context)),
    })),
    ...rest,
  };
}

export function diagnosisText({ findings, node, lookedAt }: Printed): Formatted {
  const counts = severities
    .map((severity) => ({ severity, count: findings.filter((each) => each.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => `${count} ${severity}${count === 1 || severity === "info" ? "" : "s"}`);
  return formatLines([
    { text: counts.length === 0 ? "nothing found" : counts.join(", "), style: "heading" },
    ...plain(node === undefined ? [] : [`errors and warnings are all on node ${node}: look there first`]),
    ...plain([""]),
    ...findings.flatMap(({ severity, where, title, evidence, next }, i) => [
      inOneLine({ text: `${severity.toUpperCase()}: ${where}: ${title}`, ...styles[severity] }),
      ...plain([...evidence, ...commandsOf(next, findings.slice(0, i))].map((line) => `  ${line}`)),
      ...plain([""]),
    ]),
    ...plain(["looked at:", ...lookedAt.map((each) => `  ${each}`)]),
  ]);
}

/** Those of a finding. What ends an earlier finding in the same words, such as to render and apply, is not repeated. */
function commandsOf(next: readonly string[], earlier: Printed["findings"]): string[] {
  const ends = earlier.map((each) => ({ ...each, same: sameAtEnd(next, each.next) }));
  const first = ends.find(({ same }) => same > 1 && same === Math.max(...ends.map((each) => each.same)));
  const own = next.slice(0, next.length - (first?.same ?? 0)).map((each) => `$ ${each}`);
  return first ? [...own, `then the last ${first.same} commands of ${first.where}: ${first.title}`] : own;
}

function sameAtEnd(some: readonly string[], others: readonly string[]): number {
  const differs = some.findLastIndex((each, i) => each !== others[i - some.length + others.length]);
  return some.length - 1 - differs;
}

const styles: { readonly [severity in Severity]: Pick<Line, "style"> } = {
  error: { style: "broken" },
  warning: { style: "urgent" },
  info: {},
};

function plain(texts: readonly string[]): Line[] {
  return texts.map((text) => inOneLine({ text }));
}

/** A node or a pod that says several lines must not look like another finding, with commands of its own. */
function inOneLine(line: Line): Line {
  // Whitespace before is left: to look for it would take long in a text that is all of it.
  return { ...line, text: line.text.replaceAll(/[\r\n]\s*/g, " ") };
}
