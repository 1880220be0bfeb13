import type { RuleGroup } from "../../src/model/monitoring/rule";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import { importAgentImage } from "../cluster/agent-image";
import type { Cluster } from "../cluster/cluster";
import { deploy, renderedObjects } from "../cluster/deploy";
import { createCrds, publishedPaths } from "../cluster/crds";
import { operatorCrds } from "./operator-crds";
import { Prometheus } from "./prometheus";

/**
 * Deploys a cluster's DNS that has `monitoring`, and starts a Prometheus that scrapes it.
 * @param seconds Between two scrapes, and between two evaluations of the rules.
 */
export async function deployMonitored(
  cluster: Cluster,
  props: ClusterDnsProps,
  { groups, seconds }: { groups: readonly RuleGroup[]; seconds: number },
): Promise<Prometheus> {
  await createCrds(cluster.kubectl, await publishedPaths(operatorCrds));
  await importAgentImage(cluster);
  await deploy(cluster, props);
  return Prometheus.start(cluster, { objects: renderedObjects(props), rules: { groups }, seconds });
}
