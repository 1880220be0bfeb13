import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { renderCluster } from "../../src/charts/render-cluster";
import { clusterOf } from "../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import { clusterFiles } from "../../src/output/cluster-files";
import type { Cluster } from "./cluster";
import type { KubernetesObject } from "./kubectl";
import { ledToReadyPods } from "./led-to-pods";

/**
 * Renders a cluster's DNS as `cdk8s-cluster-dns synth` does, applies it with its kustomization and waits until all of it
 * runs. Returns the folder with what was applied.
 */
export async function deploy(cluster: Cluster, props: ClusterDnsProps): Promise<string> {
  const folder = writeManifests(cluster, props);
  await cluster.kubectl.apply(folder, { serverSide: true });
  await allRolledOut(cluster, props);
  return folder;
}

/** Writes the same files without applying them. */
export function writeManifests(cluster: Cluster, props: ClusterDnsProps): string {
  const root = cluster.names.file("dist");
  rmSync(root, { recursive: true, force: true });
  for (const [path, text] of clusterFiles("e2e", "e2e.yaml", renderCluster(clusterOf(props)))) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return join(root, "e2e");
}

/** The objects of all components, in apply order. */
export function renderedObjects(props: ClusterDnsProps): KubernetesObject[] {
  return renderCluster(clusterOf(props)).components.flatMap(({ objects }) => objects as KubernetesObject[]);
}

/** Waits until every workload of the description runs as described, and each node leads to it. */
export async function allRolledOut(cluster: Cluster, props: ClusterDnsProps): Promise<void> {
  for (const { kind, metadata } of renderedObjects(props)) {
    if (kind === "Deployment")
      await cluster.kubectl.rolledOut("deployment", metadata.name, metadata.namespace ?? "default");
    if (kind === "DaemonSet")
      await cluster.kubectl.rolledOut("daemonset", metadata.name, metadata.namespace ?? "default");
  }
  await ledToReadyPods(cluster);
}
