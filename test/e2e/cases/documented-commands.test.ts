import { beforeAll, expect, it } from "vitest";
import { clusterDns } from "../../../rig/cluster/addresses";
import { agentImage, importAgentImage } from "../../../rig/cluster/agent-image";
import { deploy } from "../../../rig/cluster/deploy";
import { pod } from "../../../rig/cluster/objects";
import { dig } from "../lib/dig";
import { documentedCommands, runDocumented } from "../lib/documented-commands";
import { useCluster } from "../lib/use-cluster";

const cluster = useCluster();

beforeAll(async () => {
  const { kubectl } = cluster();
  await importAgentImage(cluster());
  await deploy(cluster(), {
    clusterDNS: [clusterDns.ipv4],
    kubeProxyMode: "iptables",
    agentImage,
    networkPolicies: true,
  });
  await kubectl.apply([pod({ name: "client", node: "node-1" })]);
  await kubectl.run(["wait", "--for=condition=Ready", "pod/client", "--timeout=180s"]);
  // So that every CoreDNS has answered, also for a name outside.
  const client = await cluster().pod("client");
  for (const { status } of await kubectl.list("pods", "kube-system", "k8s-app=kube-dns"))
    await dig(client, { server: (status as { podIP: string }).podIP, name: "www.outside.test" });
});

it.each(documentedCommands("docs/troubleshooting.md"))("docs/troubleshooting.md: %s", async (command) => {
  const finished = await runDocumented(cluster(), command, { POD: "client", NAMESPACE: "default", NODE: "node-1" });
  expect(finished).toMatchObject({ code: 0, stdout: expect.stringMatching(/\S/), stderr: "" });
});
