import { writeFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { argv } from "../../../rig/argv";
import { clusterDns } from "../../../rig/cluster/addresses";
import { sleep } from "../../../rig/until";
import { eventually } from "../../eventually";
import { dig } from "../lib/dig";
import { flux, sync } from "../lib/gitops";
import { useCluster } from "../lib/use-cluster";
import { renderedObjects } from "../../../rig/cluster/deploy";
import { askedNames, facts } from "../lib/usual";
import { ledToCache, metric } from "../lib/programs";

const cluster = useCluster({ proxyMode: "iptables" });
const file = "/etc/kubernetes/given-to-pods.conf";

beforeAll(async () => {
  nodeNames([clusterDns.ipv4]);
  const resolvConf = { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration", resolvConf: file };
  await cluster().node(2).configureKubelet(JSON.stringify(resolvConf));
  await cluster().nodesReady();
  const nodeSelector = { "kubernetes.io/os": "linux", "kubernetes.io/hostname": "node-1" };
  const described = { ...facts, authoritativeDNS: { nodePlacement: { nodeSelector } } };
  await sync(cluster(), flux, { before: [], after: renderedObjects(described) });
  await cluster().startPod({ name: "client", node: "node-2" });
});

// Before, its cache asked itself as soon as the watchdog led the node's own queries there, and refused every such name.
it.each([
  ["the cluster DNS", [clusterDns.ipv4]],
  ["no server", []],
])("a node whose file names %s resolves names outside, and its watchdog says so", async (_, nameservers) => {
  nodeNames(nameservers);
  const here = argv`-l k8s-app=node-local-dns --field-selector=spec.nodeName=node-2`;
  await cluster().kubectl.run(["delete", "pod", "-n", "kube-system", ...here]);
  await cluster().kubectl.rolledOut("daemonset", "node-local-dns", "kube-system");
  await ledToCache(cluster().node(2));
  // The node's own queries, too.
  await sleep(3000);
  const client = await cluster().pod("client");
  const ask = (name: string) => dig(client, { server: clusterDns.ipv4, name });
  const answered = { udp: { status: "NOERROR" }, tcp: { status: "NOERROR" } };
  for (const name of askedNames) expect(await ask(name)).toMatchObject(answered);
  const unusable = (node: number) =>
    metric(cluster().node(node), "watchdog", /^node_local_dns_watchdog_unusable_nameserver/);
  const both = async () => [await unusable(1), await unusable(2)];
  await eventually("what the watchdogs say", 60, both, [0, 1]);
});

function nodeNames(nameservers: readonly string[]): void {
  const text = nameservers.map((server) => `nameserver ${server}\n`).join("");
  writeFileSync(cluster().node(2).diskFile(file.slice(1)), text);
}
