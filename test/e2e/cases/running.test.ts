import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { clusterDns } from "../../../rig/cluster/addresses";
import { agentImage } from "../../../rig/cluster/agent-image";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { repositoryRoot } from "../../../rig/repository";
import { tool } from "../../../rig/tools";
import { dig, answered } from "../lib/dig";
import { argoCd, flux, sync } from "../lib/gitops";
import { useCluster } from "../lib/use-cluster";
import { eventually } from "../../eventually";
import type { Workload } from "../../../src/model/kubernetes/kinds";
import type { PodObject } from "../lib/programs";

/** The server that pods query: cluster DNS, or the cache if the description makes kubelets name it. */
const settings = [
  { name: "kubeadm-iptables", proxyMode: "iptables", ipFamilies: "IPv4", controller: flux, servers: [clusterDns.ipv4] },
  {
    name: "nftables-dual-stack",
    proxyMode: "nftables",
    ipFamilies: "dual",
    controller: argoCd,
    servers: ["169.254.20.10", "fd00:169:254:20::10", clusterDns.ipv4, clusterDns.ipv6],
  },
] as const;

describe.each(settings)("dist/$name on an empty cluster", ({ name, proxyMode, ipFamilies, controller, servers }) => {
  const cluster = useCluster({ proxyMode, ipFamilies });
  const folder = join(repositoryRoot, "dist", name);

  beforeAll(async () => {
    const objects = read(await cluster().kubectl.run(["kustomize", folder]));
    const pods = workloads(objects).map(({ spec }) => spec.template.spec);
    const images = pods.flatMap(({ initContainers = [], containers }) => [...initContainers, ...containers]);
    const agent = images.find(({ image }) => image?.includes("cluster-dns-agent"))?.image ?? "";
    for (const node of cluster().nodes)
      await node.exec([tool("containerd", "ctr"), "-n", "k8s.io", "image", "tag", agentImage, agent]);
    for (const node of cluster().nodes)
      await node.configureKubelet(readFileSync(join(folder, "kubelet/50-cluster-dns.conf"), "utf8"));
    await cluster().nodesReady();
    await sync(cluster(), controller, { before: [], after: objects });
  });

  it("ends with all pods Ready, on every node that should have one", async () => {
    const objects = read(await cluster().kubectl.run(["kustomize", folder]));
    for (const { metadata, kind, spec } of workloads(objects)) {
      const labels = Object.entries(spec.selector?.matchLabels ?? {}).map((pair) => pair.join("="));
      const pods = () => cluster().kubectl.list<PodObject>("pods", metadata.namespace, labels.join());
      await eventually(`the pods of ${kind} ${metadata.name}`, 60, pods, (got) =>
        expect(got.map(isReady)).toEqual([true, true]),
      );
    }
  });

  // By Kubernetes itself, whoever asks: here an administrator, and no admission of ours.
  it.each(["coredns", "node-local-dns"])("has a Corefile of %s that cannot be modified", async (server) => {
    const names = (await cluster().kubectl.run(["get", "configmaps", "-n", "kube-system", "-o", "name"])).split("\n");
    const corefile = names.find((each) => new RegExp(`^configmap/${server}-[0-9a-f]{10}$`).test(each)) ?? "";
    for (const change of [{ data: { Corefile: ". {\n}\n" } }, { immutable: false }])
      expect(
        await cluster().kubectl.attempt(["patch", corefile, "-n", "kube-system", "-p", JSON.stringify(change)]),
      ).toMatchObject({ code: 1, stderr: expect.stringContaining("field is immutable when `immutable` is set") });
  });

  it.each(["node-1", "node-2"])("answers a pod on %s at the address that its kubelet gave it", async (node) => {
    const client = await cluster().startPod({ name: `client-${node}`, node });
    const resolvConf = await client.exec(["cat", "/etc/resolv.conf"]);
    expect(resolvConf.match(/^nameserver .*$/gm)?.[0]).toBe(`nameserver ${servers[0]}`);
    for (const server of servers) {
      const ask = () => dig(client, { server, name: "kubernetes.default.svc.cluster.local" });
      await eventually(`answers at ${server}`, 60, ask, answered("A 10.96.0.1"));
    }
    expect((await client.attempt(["getent", "ahostsv4", "kubernetes"])).stdout).toContain("10.96.0.1 ");
  });
});

function read(manifests: string): KubernetesObject[] {
  return parseAllDocuments(manifests).map((document) => document.toJS() as KubernetesObject);
}

function workloads(objects: readonly KubernetesObject[]): Workload[] {
  return objects.filter(({ kind }) => kind === "Deployment" || kind === "DaemonSet") as object[] as Workload[];
}

function isReady({ status }: PodObject): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
}
