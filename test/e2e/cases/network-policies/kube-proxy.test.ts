import { beforeAll, describe, expect, it } from "vitest";
import { apiService, clusterDns } from "../../../../rig/cluster/addresses";
import { deploy } from "../../../../rig/cluster/deploy";
import type { Pod } from "../../../../rig/cluster/pod";
import { load } from "../../../../rig/load/load";
import { sleep, until } from "../../../../rig/until";
import { dnsEgress } from "../../../../src/model/network-policies/dns-egress";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { expectNothingLost } from "../../../expect-lost";
import { dig } from "../../lib/dig";
import { itAllowsCacheAndPods, useDeniedPod } from "./denied-pod";
import { eventually } from "../../../eventually";
import { askedNames, facts, uncached } from "../../lib/usual";
import { ledToCache, podsOf } from "../../lib/programs";

const withoutCache: ClusterDnsProps = {
  ...uncached,
  tenancy: { tenants: [{ name: "baz", namespaces: ["bar"] }] },
  admission: { allowedUsers: ["argo"], enforcement: "webhook" },
};

describe("the network policies of a cluster", () => {
  const use = useDeniedPod({ proxyMode: "iptables" });
  const { cluster, expectWith } = use;
  const all: ClusterDnsProps = { ...withoutCache, networkPolicies: true };

  beforeAll(async () => {
    await deploy(cluster(), { ...withoutCache, networkPolicies: false });
  });

  it("are applied under load without a lost query", async () => {
    const client = await cluster().pod("client");
    const asked = { server: clusterDns.ipv4, names: askedNames, rate: 200, timeoutMs: 15_000 };
    const report = await load(client, asked, async () => {
      await deploy(cluster(), all);
      await until("enforcement", 60, async () => !(await readsMetrics("default", "kube-dns", 9153)));
      await sleep(5000);
    });
    expectNothingLost(report);
  });

  async function podOf(app: string): Promise<Pod> {
    const [found] = await podsOf(cluster(), app);
    return cluster().pod(found?.metadata.name ?? "", "kube-system");
  }

  async function readsMetrics(namespace: string, app: string, port: number): Promise<boolean> {
    const client = await cluster().pod("client", namespace);
    return opens(client, (await podOf(app)).address, port);
  }

  it.each([
    ["kube-dns", 9153],
    ["cluster-dns-webhook", 8080],
  ])("let monitoring read metrics of %s, and no other pod", async (app, port) => {
    await until("an open port", 30, () => readsMetrics("monitoring", app, port));
    expect(await readsMetrics("default", app, port)).toBe(false);
  });

  it("let a new CoreDNS learn of Services and reach its upstream, and the kubelet check its health", async () => {
    await cluster().kubectl.run(["rollout", "restart", "deployment", "coredns", "-n", "kube-system"]);
    await cluster().kubectl.rolledOut("deployment", "coredns", "kube-system");
    await until("an open port", 30, async () => opens(await podOf("kube-dns"), apiService, 443));
    const client = await cluster().pod("client");
    for (const name of askedNames) {
      const ask = () => dig(client, { server: clusterDns.ipv4, name });
      await eventually(`an answer for ${name}`, 30, ask, ({ udp }) => expect(udp.status).toBe("NOERROR"));
    }
  });

  it("let the API server call the webhook", async () => {
    await cluster().kubectl.run(["delete", "pods", "-n", "kube-system", "-l", "k8s-app=cluster-dns-webhook"]);
    await cluster().kubectl.rolledOut("deployment", "cluster-dns-webhook", "kube-system");
    const dryRun = ["run", "probe", "-n", "bar", "--image=registry.example/c:1", "--dry-run=server", "-o"];
    const policy = () => cluster().kubectl.run([...dryRun, "jsonpath={.spec.dnsPolicy}"]);
    await eventually("the webhook to set a pod's DNS", 60, policy, "None", 1000);
  });

  it("without a cache: a pod that may talk to nobody resolves nothing, with dnsEgress() everything", async () => {
    await expectWith([], clusterDns.ipv4, "no answer");
    await expectWith(dnsEgress(all), clusterDns.ipv4, "NOERROR");
  });

  describe("service-ip", () => {
    const cached: ClusterDnsProps = { ...all, nodeLocalDNS: { state: "enabled" } };

    beforeAll(async () => {
      await deploy(cluster(), cached);
      await ledToCache(cluster().node(1));
    });

    itAllowsCacheAndPods(use, cached, clusterDns.ipv4);
  });
});

describe("link-local, nftables mode", () => {
  const use = useDeniedPod({ proxyMode: "nftables" });
  const props: ClusterDnsProps = {
    ...facts,
    kubeProxyMode: "nftables",
    nodeLocalDNS: { interception: "link-local" },
    networkPolicies: true,
  };

  beforeAll(async () => {
    await deploy(use.cluster(), props);
    await ledToCache(use.cluster().node(1));
  });

  itAllowsCacheAndPods(use, props, "169.254.20.10");
});

async function opens(from: Pod, address: string, port: number): Promise<boolean> {
  const { code } = await from.attempt(["timeout", "5", "bash", "-c", `exec 3<>/dev/tcp/${address}/${port}`]);
  return code === 0;
}
