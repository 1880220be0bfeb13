import { lstatSync } from "node:fs";
import { renderCluster } from "../charts/render-cluster";
import { listClusterFiles } from "../config/list-cluster-files";
import type { LocatedProblem } from "../config/located-problem";
import { readCluster as readClusterFile } from "../config/read-clusters";
import { commonNode } from "../model/doctor/common-node";
import { diagnose } from "../model/doctor/diagnose";
import { type Finding, finding } from "../model/doctor/finding";
import { lookedAt } from "../model/doctor/looked";
import type { Described } from "../model/doctor/described";
import { asking } from "../model/doctor/suggestions";
import { contextFault, currentContext } from "./kubectl";
import { throughKubectl } from "./kubectl-proxy";
import { readCluster } from "./read-cluster";
import { errorMessage } from "../model/syntax/error-message";

interface DoctorOptions {
  readonly clustersFolder: string;
  /** Where the cluster's manifests are, for the commands that apply them. */
  readonly outputFolder: string;
  /** The cluster; without one, the folder's only cluster, or none if it has none. */
  readonly name: string | undefined;
  /** Of the kubeconfig; its current one if undefined. */
  readonly context: string | undefined;
}

export interface Diagnosis {
  readonly findings: readonly Finding[];
  /** Of the kubeconfig, for the commands. */
  readonly context: string | undefined;
  /** The one node that all errors and warnings are about. */
  readonly node?: string;
  readonly lookedAt: readonly string[];
}

/** Compares a running cluster's DNS with its cluster file, and looks for what keeps names from resolving. Writes nothing. */
export async function doctor(
  options: DoctorOptions,
): Promise<{ readonly problems: readonly LocatedProblem[]; readonly diagnosis?: Diagnosis }> {
  const described = describedBy(options);
  if (described && "problems" in described) return described;
  try {
    const context = options.context ?? currentContext();
    const state = await throughKubectl(context, (read) => readCluster(read, described));
    const findings = [...diagnose(state, described), ...(described ? [] : [undescribed(options)])];
    const node = commonNode(findings, state.nodes);
    return {
      problems: [],
      diagnosis: {
        ...(node !== undefined && { node }),
        findings,
        context,
        lookedAt: lookedAt(state, described, context),
      },
    };
  } catch (error) {
    return { problems: [{ message: [errorMessage(error), ...contextFault(options.context)].join("; ") }] };
  }
}

function describedBy({
  clustersFolder,
  outputFolder,
  name,
}: DoctorOptions): Described | { readonly problems: readonly LocatedProblem[] } | undefined {
  if (name === undefined && isNothingThere(clustersFolder)) return undefined;
  const named = readClusterFile(clustersFolder, name, "to look at");
  if ("problems" in named) return named;
  const { components } = renderCluster(named.cluster);
  const folders = { clusters: clustersFolder === "clusters" ? undefined : clustersFolder, folder: outputFolder };
  return { name: named.name, cluster: named.cluster, components, ...folders };
}

/** A folder that somebody names, or that cannot be read, is another matter. */
function isNothingThere(folder: string): boolean {
  const listed = folder === "clusters" ? listClusterFiles(folder) : { files: [] };
  return "problem" in listed && (listed.isEmpty === true || !lstatSync(folder, { throwIfNoEntry: false }));
}

function undescribed({ clustersFolder }: DoctorOptions): Finding {
  const evidence =
    "Services, ports, configurations, kube-proxy's mode, tenants and the webhook were not compared with anything";
  return finding("no-cluster-file", clustersFolder, [evidence], [asking("init", "NAME")]);
}
