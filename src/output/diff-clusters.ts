import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { LocatedProblem } from "../config/located-problem";
import { type Change, changes } from "../model/changes/changes";
import { inForceIn } from "../model/changes/in-force-in";
import { type Applied, leaveFlux, nothingApplied } from "../model/changes/pruning";
import { resolve } from "../model/check/resolve";
import type { Cluster } from "../model/cluster/cluster";
import { manifestsFolder } from "../model/gitops/objects";
import { type Difference, differences } from "../model/kubernetes/differences";
import { isKubernetesObject, type KubernetesObject } from "../model/kubernetes/object";
import { inForce } from "../model/steps/in-force";
import { type Step, warning } from "../model/steps/step";
import { configureKubelets, steps } from "../model/steps/steps";
import { contentOf } from "./cluster-files";
import { Comparison } from "./comparison";
import { headerPath } from "./header";
import { findOwnFiles, ownClusters } from "./own-files";
import { type Owner, owns } from "./owner";
import { readRecord } from "./record";
import { checkApart, Refused, renderClusters, type RenderOptions } from "./render-clusters";
import type { Rendering } from "./rendering";
import { whereWritten } from "./where-written";
import { orElse } from "../model/syntax/or-else";

export interface ClusterDiff {
  readonly name: string;
  /** Of the cluster as a whole: what must not be applied like this, and what kubelets are told. */
  readonly steps: readonly Step[];
  readonly objects: readonly Change[];
  /** What kubelets must be told anew. */
  readonly kubelet: readonly Difference[];
  /** The folder in the repository that has it all; only if there is something. */
  readonly kubeletFolder?: string;
}

/** Clusters that nothing changes are left out. @param show What is kept of each: a diff takes much memory. */
export function diffClusters<Shown>(
  options: RenderOptions,
  show: (diff: ClusterDiff) => Shown,
): {
  readonly problems: readonly LocatedProblem[];
  readonly diffs: readonly Shown[];
} {
  const { clustersFolder, outputFolder, names = [] } = options;
  const clusterFiles = headerPath(clustersFolder);
  const writtenTo = whereWritten(outputFolder, clusterFiles);
  const owner = { clustersFolder: clusterFiles, isOfCopy: writtenTo !== headerPath(outputFolder) };
  const diffs: Shown[] = [];
  const shown = (diff: ClusterDiff) => (diff.objects.length + diff.kubelet.length > 0 ? [show(diff)] : []);
  const known = new Set<string>();
  const inTheWay: string[] = [];
  const output = { outputFolder, writtenTo, owner, inTheWay };
  const comparison = new Comparison(outputFolder, owner);
  let problems: readonly LocatedProblem[] = [];
  try {
    checkApart(options);
    renderClusters(options, (rendering) => {
      const { name } = rendering.named;
      known.add(name);
      // To read all of its manifests takes ten times as long as to render them.
      if (comparison.add(rendering.files).length > 0 || comparison.othersOf(name).length > 0)
        diffs.push(...shown(diffOf(output, rendering)));
    });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    problems = error.problems;
  }
  const gone = names.length > 0 ? [] : ownClusters(outputFolder, owner, inTheWay).filter((name) => !known.has(name));
  // First: of a cluster that was renamed, the old objects of a controller are deleted before the new ones are applied.
  diffs.unshift(...gone.flatMap((name) => shown(goneFrom(output, name))));
  const refused = new Set([...comparison.problems, ...inTheWay]);
  problems = [...problems, ...[...refused].map((message) => ({ message }))];
  return { problems, diffs };
}

interface Output {
  readonly outputFolder: string;
  /** Where the new manifests lie: for commands. */
  readonly writtenTo: string;
  readonly owner: Owner;
  readonly inTheWay: string[];
}

function diffOf(output: Output, { named, rendered, gitops, files }: Rendering): ClusterDiff {
  const { name, cluster } = named;
  const objects = [...rendered.components.flatMap((each) => each.objects), ...Object.values(gitops).flat()];
  const content = contentOf(name, { ...rendered, gitops });
  const known = (path: string, text: string) => (files.get(path) === text ? content.get(path) : undefined);
  const [before, after] = [appliedIn(output, name, known), { objects, inForce: inForce(cluster) }];
  const folder = manifestsFolder(cluster.said.gitops, name, output.writtenTo);
  const warnings = [...steps(before.inForce, after.inForce), ...leaveFlux(before, after)];
  const [told] = rendered.kubelet.map(({ fileName }) => read(join(output.outputFolder, name, "kubelet", fileName)));
  // A folder without a record has it in a file.
  const kubelet = kubeletChanges(before.kubelet ?? told, cluster);
  const kubeletFolder = `${folder}/kubelet`;
  return {
    name,
    steps: [...warnings, ...(kubelet.length > 0 ? [configureKubelets(warnings, kubeletFolder)] : [])],
    objects: changes(before, after, folder),
    kubelet,
    ...(kubelet.length > 0 && { kubeletFolder }),
  };
}

/** @param before What kubelets were told; undefined: nothing. */
function kubeletChanges(before: unknown, { queryPath, kubelet }: Cluster): Difference[] {
  // Otherwise kubelets have what they need already.
  const isNeeded = queryPath?.interception === "link-local" || kubelet.resolvConf !== undefined;
  return differences(before ?? (isNeeded ? {} : kubelet), kubelet);
}

function goneFrom(output: Output, name: string): ClusterDiff {
  const [before, after] = [appliedIn(output, name), nothingApplied];
  const { controller, coreDns } = before.inForce;
  const what = controller
    ? `${controller.name} no longer finds its folder, and prunes nothing`
    : `where this is pruned, it has no ${coreDns ? "DNS" : "node cache"}`;
  const undescribed = warning(
    "restore-cluster-file",
    `no cluster file describes ${name} any more: ${what}; restore the file, or its name, unless the cluster is gone`,
  );
  return {
    name,
    steps: [undescribed, ...steps(before.inForce, undefined)],
    objects: changes(before, after),
    kubelet: [],
  };
}

/** What a file holds, if that is known from its text. */
type Known = (path: string, text: string) => unknown;

function appliedIn(output: Output, cluster: string, known: Known = () => undefined): WrittenBefore {
  const objects = objectsIn(output, cluster, known);
  const described = resolve(readRecord(output.outputFolder, cluster)?.description).cluster;
  // Earlier versions left no description, or one that this version does not accept: their objects show the same.
  return { objects, inForce: described ? inForce(described) : inForceIn(objects), kubelet: described?.kubelet };
}

interface WrittenBefore extends Applied {
  readonly kubelet: Cluster["kubelet"] | undefined;
}

/** The objects that an output folder holds for a cluster: `<cluster>/<component>/<object>.yaml`, `<cluster>/gitops/<controller>/<object>.yaml`. */
function objectsIn({ outputFolder, owner, inTheWay }: Output, cluster: string, known: Known): KubernetesObject[] {
  return findOwnFiles(outputFolder, inTheWay, [cluster])
    .filter(({ path, clusterFile }) => owns(owner, clusterFile) && isObjectFile(path))
    .flatMap(({ path }) => {
      const object = read(join(outputFolder, path), (text) => known(path, text));
      if (isKubernetesObject(object)) return [object];
      inTheWay.push(
        `${join(outputFolder, path)} is not the object that it was; restore it (git checkout), or what it changes is not shown`,
      );
      return [];
    });
}

function isObjectFile(path: string): boolean {
  const [, folder, ...names] = path.split("/");
  return folder !== "kubelet" && names.length > 0 && names.at(-1) !== "kustomization.yaml";
}

function read(file: string, known: (text: string) => unknown = () => undefined): unknown {
  return orElse(() => {
    const text = readFileSync(file, "utf8");
    return known(text) ?? parsed(text);
  }, undefined);
}

/** Clusters of a fleet have many manifests in common, but for their headers: to parse one takes longer than all else. */
function parsed(text: string): unknown {
  const body = text.startsWith("#") ? text.slice(text.indexOf("\n") + 1) : text;
  if (!parsedBodies.has(body)) {
    if (parsedBodies.size === mostParsed) parsedBodies.clear();
    // Errors are not shown.
    parsedBodies.set(body, parse(body, { prettyErrors: false }));
  }
  return parsedBodies.get(body);
}

const parsedBodies = new Map<string, unknown>();
const mostParsed = 200;
