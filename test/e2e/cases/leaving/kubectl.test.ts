import { beforeAll, expect, it } from "vitest";
import { allRolledOut } from "../../../../rig/cluster/deploy";
import { Fleet } from "../../../../rig/gitops/fleet";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { useCluster } from "../../lib/use-cluster";
import { expectNothingOfOurs, walk } from "./walk";
import { facts } from "../../lib/usual";
import { ledToCache } from "../../lib/programs";
import { coreDnsWith, installByKubeadm } from "../../lib/other-dns";

const cluster = useCluster();
let fleet: Fleet;

beforeAll(async () => {
  await installByKubeadm(cluster());
  fleet = new Fleet(cluster().names.file("fleet"));
  await cluster().startPod({ name: "client", node: "node-1" });
});

it("goes back to kubeadm's CoreDNS by the commands of `leave`, and leaves nothing of ours", async () => {
  const described = await come({ smokeTest: true, networkPolicies: true });
  await walk({ cluster: cluster(), fleet, described, to: "kubeadm" });
  await expectNothingOfOurs(cluster());
});

it("leaves names to somebody else's pods behind the Service until its address goes, too", async () => {
  const described = await come({ networkPolicies: true });
  await cluster().kubectl.apply(theirDns);
  await cluster().kubectl.rolledOut("deployment", "their-dns", "kube-system");
  const ids = await walk({ cluster: cluster(), fleet, described, to: "nothing" });
  expect(ids).toContain("remove-dns-service");
  await expectNothingOfOurs(cluster());
});

/** Commits the manifests and applies them, as a person does who takes over from kubeadm. */
async function come(edit: Partial<ClusterDnsProps>): Promise<ClusterDnsProps> {
  const described: ClusterDnsProps = {
    ...facts,
    nodeLocalDNS: {},
    ...edit,
  };
  await fleet.create();
  fleet.synth(described);
  await fleet.commit();
  await cluster().kubectl.run(["apply", "--server-side", "--force-conflicts", "-k", fleet.manifests]);
  await allRolledOut(cluster(), described);
  for (const node of cluster().nodes) await ledToCache(node);
  return described;
}

/** A DNS server that knows one name. */
const theirDns = coreDnsWith(". {\n  hosts {\n    10.96.0.1 kubernetes.default.svc.cluster.local\n  }\n}\n", {
  name: "their-dns",
  labels: { "k8s-app": "kube-dns", dns: "theirs" },
});
