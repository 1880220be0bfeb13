import { expect, it } from "vitest";
import { deploy } from "../../../../rig/cluster/deploy";
import { names, namespace } from "../../../../src/model/object-names";
import type { AutoscalerOptions } from "../../../../src/model/props/authoritative-dns";
import { autoscalerImage } from "../../lib/program-image";
import { useCluster } from "../../lib/use-cluster";
import { eventually } from "../../../eventually";
import { uncached } from "../../lib/usual";

const program = process.env["CLUSTER_DNS_AUTOSCALER"] ?? "";

// Upstream's program, which is not among the Go modules, with the rights and settings that we render.
const cluster = useCluster();

it.each<[replicas: number, autoscaler: AutoscalerOptions]>([
  [2, { min: 1, nodesPerReplica: 1 }], // two nodes
  [3, { min: 3 }],
  [1, { min: 1, max: 1, nodesPerReplica: 1 }],
])("scales CoreDNS to %i, as %j says", async (replicas, autoscaler) => {
  await cluster().importImage(autoscalerImage(program));
  await deploy(cluster(), { ...uncached, authoritativeDNS: { autoscaler } });
  const coredns = () => cluster().kubectl.get("deployment", names.authoritativeDns, namespace);
  const scaled = { spec: { replicas }, status: { readyReplicas: replicas } };
  await eventually("CoreDNS to be scaled", 60, coredns, (got) => expect(got).toMatchObject(scaled), 1000);
});

it("has all rights that it asks for", async () => {
  const log = await cluster().kubectl.run(["logs", "-n", namespace, "-l", `k8s-app=${names.autoscaler}`]);
  expect(log).toContain("Replicas are not as expected");
  expect(log).not.toMatch(/forbidden|Falling back|^E\d{4}/m);
});
