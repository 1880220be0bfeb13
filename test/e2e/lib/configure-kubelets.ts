import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "../../../rig/cluster/cluster";
import { writeManifests } from "../../../rig/cluster/deploy";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";

/** Configures kubelets as the cluster file says. */
export async function configureKubelets(
  cluster: Cluster,
  described: ClusterDnsProps,
  nodes = cluster.nodes,
): Promise<void> {
  const dropIn = join(writeManifests(cluster, described), "kubelet/50-cluster-dns.conf");
  for (const node of nodes) await node.configureKubelet(readFileSync(dropIn, "utf8"));
  await cluster.nodesReady();
}
