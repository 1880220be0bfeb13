import type { Cluster } from "../../../rig/cluster/cluster";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { ledToReadyPods } from "../../../rig/cluster/led-to-pods";
import { renderedObjects } from "../../../rig/cluster/deploy";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";

/**
 * What a GitOps controller does with a commit, as far as it can cost answers: the order in which it applies, what it
 * waits for, and when it deletes what the commit no longer contains.
 */
export interface GitOpsController {
  /** The field manager of its server-side apply. */
  readonly fieldManager: string;
  /** Whether it keeps an object that is no longer in the repository. */
  keeps(object: KubernetesObject): boolean;
  /** What it applies together; it waits for each stage to become healthy before the next. */
  stages(objects: readonly KubernetesObject[]): KubernetesObject[][];
  /** Whether it deletes before it applies, or right after; either way, it does not wait for health in between. */
  readonly prunes: "first" | "after applying";
}

const waveOf = annotation("argocd.argoproj.io/sync-wave");
const syncOptions = annotation("argocd.argoproj.io/sync-options");

/** Waves in order; within a wave it deletes first (gitops-engine, `runTasks`). */
export const argoCd: GitOpsController = {
  fieldManager: "argocd-controller",
  keeps: (object) => (syncOptions(object) ?? "").split(",").includes("Prune=false"),
  stages(objects) {
    const waves = [...new Set(objects.map((object) => Number(waveOf(object) ?? 0)))].sort((a, b) => a - b);
    return waves.map((wave) => objects.filter((object) => Number(waveOf(object) ?? 0) === wave));
  },
  prunes: "first",
};

/** A Kustomization: everything at once, then garbage collection, then health (`wait: true`). */
export const flux: GitOpsController = {
  fieldManager: "kustomize-controller",
  keeps: (object) => annotation("kustomize.toolkit.fluxcd.io/prune")(object) === "disabled",
  stages: (objects) => [[...objects]],
  prunes: "after applying",
};

export interface Commit {
  readonly before: readonly KubernetesObject[];
  readonly after: readonly KubernetesObject[];
  /** Whether it becomes healthy; if it never does, everything is still applied and pruned. Default: true. */
  readonly healthy?: boolean;
}

/** Takes the cluster from one commit to the next. */
export async function sync(
  cluster: Cluster,
  controller: GitOpsController,
  { before, after, healthy = true }: Commit,
): Promise<void> {
  const stages = controller.stages(after);
  const gone = before.filter((object) => !after.some((other) => identity(other) === identity(object)));
  const pruned = gone.filter((object) => !controller.keeps(object));
  for (const [index, stage] of stages.entries()) {
    // what a commit removes is pruned with its last wave, including workloads
    const isLast = index === stages.length - 1;
    if (isLast && controller.prunes === "first") await deleteObjects(cluster, pruned);
    await cluster.kubectl.apply(stage, { serverSide: true, fieldManager: controller.fieldManager });
    if (isLast && controller.prunes === "after applying") await deleteObjects(cluster, pruned);
    if (healthy) await untilHealthy(cluster, stage);
  }
}

/** Brings a cluster from one version to the next, each of which begins where the last one ended. */
export class Commits {
  /** The last one's objects. */
  current: readonly KubernetesObject[] = [];

  constructor(private readonly cluster: () => Cluster) {}

  /** Takes a cluster file, or its objects. With one that becomes healthy, waits until what it replaces has ended. */
  async commit(
    controller: GitOpsController,
    version: ClusterDnsProps | readonly KubernetesObject[],
    healthy = true,
  ): Promise<void> {
    const after = "clusterDNS" in version ? renderedObjects(version) : version;
    const before = this.current;
    this.current = after;
    if (JSON.stringify(after) === JSON.stringify(before)) return;
    await sync(this.cluster(), controller, { before, after, healthy });
    if (healthy) await untilTerminated(this.cluster(), "kube-system");
  }
}

/** Waits for the workloads among the objects, and until each node leads to them. */
export async function untilHealthy(cluster: Cluster, objects: readonly KubernetesObject[]): Promise<void> {
  for (const { kind, metadata } of objects) {
    const workload = kind.toLowerCase();
    if (workload === "deployment" || workload === "daemonset")
      await cluster.kubectl.rolledOut(workload, metadata.name, metadata.namespace ?? "default");
  }
  await ledToReadyPods(cluster);
}

/** Waits until terminating pods are gone. */
export async function untilTerminated({ kubectl }: Cluster, namespace: string): Promise<void> {
  for (;;) {
    const pods = await kubectl.list("pods", namespace);
    const ending = pods.filter(({ metadata }) => metadata["deletionTimestamp"] !== undefined);
    if (ending.length === 0) return;
    const names = ending.map(({ metadata }) => `pod/${metadata.name}`);
    await kubectl.run(["wait", "--for=delete", "-n", namespace, ...names, "--timeout=300s"]);
  }
}

async function deleteObjects({ kubectl }: Cluster, objects: readonly KubernetesObject[]): Promise<void> {
  if (objects.length === 0) return;
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  await kubectl.run(["delete", "-f", "-", "--ignore-not-found", "--wait=false"], { input });
}

function identity({ kind, metadata }: KubernetesObject): string {
  return `${kind}/${metadata.name}`;
}

function annotation(name: string): (object: KubernetesObject) => string | undefined {
  return ({ metadata }) => metadata.annotations?.[name];
}
