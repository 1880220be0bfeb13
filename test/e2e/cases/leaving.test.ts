import { beforeAll, expect, it } from "vitest";
import { clusterDns } from "../../../rig/cluster/addresses";
import { agentImage, importAgentImage } from "../../../rig/cluster/agent-image";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { pod } from "../../../rig/cluster/objects";
import { until } from "../../../rig/until";
import { renderCluster } from "../../../src/charts/render-cluster";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { ShellCommand } from "../../../src/model/command";
import { commonLabels } from "../../../src/model/object-names";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { leave } from "../../../src/model/steps/leave";
import type { StepId } from "../../../src/model/steps/step";
import { dig } from "../lib/dig";
import { installByKubeadm } from "../lib/kubeadm";
import { ledToCache, onNode } from "../lib/node-cache";
import { useCluster } from "../lib/use-cluster";

const cluster = useCluster({ proxyMode: "iptables" });
const described: ClusterDnsProps = {
  clusterDNS: [clusterDns.ipv4],
  kubeProxyMode: "iptables",
  agentImage,
  smokeTest: true,
  networkPolicies: true,
};

beforeAll(async () => {
  await importAgentImage(cluster());
  await installByKubeadm(cluster());
  await apply({ ...described, nodeLocalDNS: {} });
  for (const node of cluster().nodes) await ledToCache(node);
  await cluster().kubectl.apply([pod({ name: "client", node: "node-1" })]);
  await cluster().kubectl.run(["wait", "--for=condition=Ready", "pod/client", "--timeout=300s"]);
});

it("goes back to kubeadm's CoreDNS by the commands of `leave`, and leaves nothing of ours", async () => {
  const resolved = clusterOf(described);
  const { components } = renderCluster(resolved);
  const steps = leave(resolved, { name: "prod", to: "kubeadm", file: "prod.yaml", folder: "dist/prod", components });
  for (const { id, commands } of steps) {
    for (const command of commands) await run(id, command);
    const client = await cluster().pod("client");
    const name = "kubernetes.default.svc.cluster.local";
    expect([id, await dig(client, { server: clusterDns.ipv4, name })]).toMatchObject([
      id,
      { udp: { status: "NOERROR" }, tcp: { status: "NOERROR" } },
    ]);
  }
  for (const node of cluster().nodes) expect(await onNode(node)).toEqual([]);
  const [label, value] = Object.entries(commonLabels)[1] ?? [];
  const kinds = "deployments,daemonsets,services,serviceaccounts,configmaps,jobs,networkpolicies,poddisruptionbudgets";
  const ours = ["--all-namespaces", "--selector", `${label}=${value}`, "--output=name"];
  expect(await cluster().kubectl.run(["get", `${kinds},clusterroles,clusterrolebindings`, ...ours])).toBe("");
});

/** As a person does, but for what needs a repository, or kubeadm's own configuration. */
async function run(id: StepId, { program, args }: ShellCommand): Promise<void> {
  if (program === "kubeadm") return installByKubeadm(cluster());
  if (program !== "kubectl") return;
  if (args[0] === "apply") return apply({ ...described, nodeLocalDNS: { state: "removed" } });
  const print = () => cluster().kubectl.run(args, { timeoutSeconds: 200 });
  if (args[0] !== "logs") return void (await print());
  await until(`${id}: every node clean`, 240, async () => {
    const printed = await print();
    if ([...printed.matchAll(/"msg":"(?:removed|nothing to remove)"/g)].length === cluster().nodes.length) return true;
    throw new Error(printed);
  });
}

async function apply(props: ClusterDnsProps): Promise<void> {
  const objects = renderCluster(clusterOf(props)).components.flatMap((each) => each.objects as KubernetesObject[]);
  await cluster().kubectl.apply(objects, { serverSide: true, fieldManager: "kubectl" });
  for (const { kind, metadata } of objects)
    if (kind === "Deployment" || kind === "DaemonSet")
      await cluster().kubectl.rolledOut(
        kind === "Deployment" ? "deployment" : "daemonset",
        metadata.name,
        "kube-system",
      );
}
