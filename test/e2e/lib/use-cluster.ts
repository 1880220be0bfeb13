import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, inject } from "vitest";
import { Cluster } from "../../../rig/cluster/cluster";
import type { ClusterOptions } from "../../../rig/cluster/options";
import { Names } from "../../../rig/cluster/names";
import { consoleProgress } from "../../../rig/progress";
import { importAgentImage } from "../../../rig/cluster/agent-image";
import type { Pod } from "../../../rig/cluster/pod";
import { join } from "node:path";
import { writeManifests } from "../../../rig/cluster/deploy";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";

export type Wanted = Partial<Omit<ClusterOptions, "name" | "ownerPid">>;

/**
 * No two of a file have one name: while one is taken down, another file may take it for what a dead test left, and end
 * its successor.
 */
let count = 0;

/**
 * The cluster for one file's tests: IPv4, iptables and two nodes by default. Each file gets an empty one, whose nodes have
 * the agent's image, available as `cluster()` from the first `beforeAll` after this call.
 */
export function useCluster(wanted: Wanted = {}): () => Cluster {
  let cluster: Cluster | undefined;
  const name = `${inject("clusterName")}-${process.env["VITEST_WORKER_ID"]}-${++count}`;

  beforeAll(async () => {
    const defaults = { proxyMode: "iptables", nodes: 2, ipFamilies: "IPv4" } as const;
    cluster = await Cluster.up({ ...defaults, ...wanted, name, ownerPid: inject("ownerPid") }, consoleProgress());
    if (cluster.nodes.length > 0) await importAgentImage(cluster);
  });
  afterAll(async () => {
    if (existsSync(new Names(name).state)) await cluster?.down();
  });

  return () => {
    if (cluster === undefined) throw new Error("the cluster exists only within tests and hooks");
    return cluster;
  };
}

/** A pod on the first node that asks, in `default`; there from the first `beforeAll` after this call. */
export function useClient(cluster: () => Cluster): () => Pod {
  let client: Pod | undefined;
  beforeAll(async () => {
    client = await cluster().startPod({ name: "client", node: "node-1" });
  });
  return () => {
    if (client === undefined) throw new Error("the pod exists only within tests and hooks");
    return client;
  };
}

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
