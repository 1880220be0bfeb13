import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiService, clusterDns } from "../../../rig/cluster/addresses";
import { agentImage, importAgentImage } from "../../../rig/cluster/agent-image";
import { deploy } from "../../../rig/cluster/deploy";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { namespaceObject, pod } from "../../../rig/cluster/objects";
import type { Pod } from "../../../rig/cluster/pod";
import { load } from "../../../rig/load/load";
import { loadText } from "../../../rig/load/text";
import { sleep, until } from "../../../rig/until";
import { healthZone } from "../../../src/model/corefile/node-local-dns";
import { dnsEgress } from "../../../src/model/network-policies/dns-egress";
import type { NetworkPolicyEgressRule, NetworkPolicyPeer } from "../../../src/model/network-policies/policy";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { expectNothingLost } from "../../expect-lost";
import { dig } from "../lib/dig";
import { enforceNetworkPolicies } from "../lib/enforce-network-policies";
import { ledToCache } from "../lib/node-cache";
import { useCluster, type Wanted } from "../lib/use-cluster";

const names = ["kubernetes.default.svc.cluster.local", "www.outside.test"];
const withoutCache: ClusterDnsProps = {
  clusterDNS: [clusterDns.ipv4],
  kubeProxyMode: "iptables",
  agentImage,
  nodeLocalDNS: { state: "disabled" },
  tenancy: { tenants: [{ name: "baz", namespaces: ["bar"] }] },
  admission: { allowedUsers: ["argo"], enforcement: "webhook" },
};

/** A cluster whose policies are enforced, by Cilium or by us, with a pod in a namespace where all egress is denied. */
function useDeniedPod(wanted: Wanted) {
  const cluster = useCluster(wanted);
  let denied: Pod | undefined;
  let stop: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    const { kubectl } = cluster();
    await importAgentImage(cluster());
    await kubectl.apply(["quiet", "monitoring", "bar"].map(namespaceObject));
    const clients = ["quiet", "monitoring", "default"].map((namespace) =>
      pod({ name: "client", namespace, node: "node-1" }),
    );
    await kubectl.apply([...clients, denying([])]);
    for (const { metadata } of clients)
      await kubectl.run(
        ["wait", "-n", metadata.namespace ?? "", "--for=condition=Ready", "pod/client", "--timeout=60s"],
        {
          timeoutSeconds: 70,
        },
      );
    denied = await cluster().pod("client", "quiet");
    if (wanted.cilium !== true) stop = enforceNetworkPolicies(cluster());
  });
  afterAll(() => stop?.());

  async function statuses(server: string): Promise<string[]> {
    if (denied === undefined) throw new Error("the pod exists only within tests and hooks");
    const client = denied;
    const answers = await Promise.all(names.map((name) => dig(client, { server, name })));
    return answers.flatMap(({ udp, tcp }) => [udp.status, tcp.status]);
  }

  return {
    cluster,
    denied: () => denied as Pod,
    /** Allows the denied pod only what these rules do; expects all or none of its queries to be answered. */
    async expectWith(egress: readonly NetworkPolicyEgressRule[], server: string, status: "NOERROR" | "no answer") {
      await cluster().kubectl.apply([denying(egress)]);
      await expect.poll(() => statuses(server), { timeout: 40_000 }).toEqual(names.flatMap(() => [status, status]));
    },
  };
}

function denying(egress: readonly NetworkPolicyEgressRule[]): KubernetesObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "egress", namespace: "quiet" },
    spec: { podSelector: {}, policyTypes: ["Egress"], egress },
  };
}

/** What works without a cache, and what most write: the pods of the cluster DNS alone. */
function onlyPods(props: ClusterDnsProps): NetworkPolicyEgressRule[] {
  const isPods = ({ podSelector }: NetworkPolicyPeer) => podSelector?.matchLabels?.["k8s-app"] === "kube-dns";
  return dnsEgress(props).map(({ to, ports }) => ({ to: (to ?? []).filter(isPods), ports }));
}

async function opens(from: Pod, address: string, port: number): Promise<boolean> {
  const { code } = await from.attempt(["timeout", "3", "bash", "-c", `exec 3<>/dev/tcp/${address}/${port}`]);
  return code === 0;
}

describe("the network policies of a cluster", () => {
  const use = useDeniedPod({ proxyMode: "iptables" });
  const { cluster, expectWith } = use;
  const all: ClusterDnsProps = { ...withoutCache, networkPolicies: true };

  beforeAll(async () => {
    await deploy(cluster(), { ...withoutCache, networkPolicies: false });
  });

  it("are applied under load without a lost query", async () => {
    const client = await cluster().pod("client");
    const report = await load(client, { server: clusterDns.ipv4, names, rate: 200 }, async () => {
      await deploy(cluster(), all);
      await until("enforcement", 30, async () => !(await readsMetrics("default", "kube-dns", 9153)));
      await sleep(5000);
    });
    console.log(`policies applied under load: ${loadText(report)}`);
    expectNothingLost(report);
  });

  /** One that is not stopping. */
  async function podOf(app: string): Promise<Pod> {
    const pods = await cluster().kubectl.list("pods", "kube-system", `k8s-app=${app}`);
    const name = pods.find(({ metadata }) => metadata["deletionTimestamp"] === undefined)?.metadata.name;
    return cluster().pod(name ?? "", "kube-system");
  }

  async function readsMetrics(namespace: string, app: string, port: number): Promise<boolean> {
    const client = await cluster().pod("client", namespace);
    return opens(client, (await podOf(app)).address, port);
  }

  it.each([
    ["kube-dns", 9153],
    ["cluster-dns-webhook", 8080],
  ])("let monitoring read metrics of %s, and no other pod", async (app, port) => {
    expect(await readsMetrics("monitoring", app, port)).toBe(true);
    expect(await readsMetrics("default", app, port)).toBe(false);
  });

  it("let a new CoreDNS learn of Services and reach its upstream, and the kubelet check its health", async () => {
    const { kubectl } = cluster();
    await kubectl.run(["rollout", "restart", "deployment", "coredns", "-n", "kube-system"]);
    await kubectl.rolledOut("deployment", "coredns", "kube-system");
    expect(await opens(await podOf("kube-dns"), apiService, 443)).toBe(true);
    const client = await cluster().pod("client");
    for (const name of names) expect((await dig(client, { server: clusterDns.ipv4, name })).udp.status).toBe("NOERROR");
  });

  it("let the API server call the webhook", async () => {
    const { kubectl } = cluster();
    await kubectl.run(["delete", "pods", "-n", "kube-system", "-l", "k8s-app=cluster-dns-webhook"], {
      timeoutSeconds: 120,
    });
    await kubectl.rolledOut("deployment", "cluster-dns-webhook", "kube-system");
    const dryRun = ["run", "probe", "-n", "bar", "--image=registry.example/c:1", "--dry-run=server", "-o"];
    const policy = () => kubectl.run([...dryRun, "jsonpath={.spec.dnsPolicy}"]);
    await expect.poll(policy, { timeout: 60_000, interval: 1000 }).toBe("None");
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
    clusterDNS: [clusterDns.ipv4],
    kubeProxyMode: "nftables",
    agentImage,
    nodeLocalDNS: { interception: "link-local" },
    networkPolicies: true,
  };

  beforeAll(async () => {
    await deploy(use.cluster(), props);
    await ledToCache(use.cluster().node(1));
  });

  itAllowsCacheAndPods(use, props, "169.254.20.10");
});

describe("local-redirect, Cilium", () => {
  const use = useDeniedPod({ cilium: true });
  const props: ClusterDnsProps = {
    clusterDNS: [clusterDns.ipv4],
    kubeProxyMode: "none",
    cni: "cilium",
    networkPolicies: true,
  };

  beforeAll(async () => {
    await deploy(use.cluster(), props);
  });

  itAllowsCacheAndPods(use, props, clusterDns.ipv4);
});

function itAllowsCacheAndPods(
  { cluster, denied, expectWith }: ReturnType<typeof useDeniedPod>,
  props: ClusterDnsProps,
  server: string,
): void {
  const isCache = async () => (await dig(denied(), { server, name: healthZone, type: "TXT" })).udp.status === "NOERROR";

  it("with a cache, rules for the pods of the cluster DNS alone do not let a query through", async () => {
    await expectWith(onlyPods(props), server, "no answer");
  });

  it("dnsEgress() does: the cache answers", async () => {
    await expectWith(dnsEgress(props), server, "NOERROR");
    expect(await isCache()).toBe(true);
  });

  it("and the cluster DNS while there is no cache", async () => {
    const leave = JSON.stringify({ spec: { template: { spec: { nodeSelector: { "no-such": "node" } } } } });
    await cluster().kubectl.run(["patch", "daemonset", "node-local-dns", "-n", "kube-system", "-p", leave]);
    await until("the end of the cache", 60, async () => !(await isCache()));
    await expectWith(dnsEgress(props), server, "NOERROR");
  });
}
