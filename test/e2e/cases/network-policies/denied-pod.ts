import { afterAll, beforeAll, expect, it } from "vitest";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { namespaceObject } from "../../../../rig/cluster/objects";
import type { Pod } from "../../../../rig/cluster/pod";
import { sleep, until } from "../../../../rig/until";
import { healthZone } from "../../../../src/model/corefile/node-local-dns";
import { dnsEgress } from "../../../../src/model/network-policies/dns-egress";
import type { NetworkPolicyEgressRule, NetworkPolicyPeer } from "../../../../src/model/network-policies/policy";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { dig } from "../../lib/dig";
import { enforceNetworkPolicies } from "../../lib/enforce-network-policies";
import { useCluster, type Wanted } from "../../lib/use-cluster";
import { eventually } from "../../../eventually";
import { askedNames } from "../../lib/usual";

/** How long to wait for an answer that should not come. */
const silenceSeconds = 3;

/** A cluster whose policies are enforced, by Cilium or by us, with a pod in a namespace where all egress is denied. */
export function useDeniedPod(wanted: Wanted) {
  const cluster = useCluster(wanted);
  let denied: Pod | undefined;
  let stop: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    await cluster().kubectl.apply(["quiet", "monitoring", "bar"].map(namespaceObject));
    await cluster().kubectl.apply([denying([])]);
    const start = (namespace: string) => cluster().startPod({ name: "client", namespace, node: "node-1" });
    [denied] = await Promise.all(["quiet", "monitoring", "default"].map(start));
    if (wanted.cilium !== true) stop = enforceNetworkPolicies(cluster());
  });
  afterAll(() => stop?.());

  async function statuses(server: string, seconds: number): Promise<string[]> {
    if (denied === undefined) throw new Error("the pod exists only within tests and hooks");
    const client = denied;
    const answers = await Promise.all(askedNames.map((name) => dig(client, { server, name, seconds })));
    return answers.flatMap(({ udp, tcp }) => [udp.status, tcp.status]);
  }

  return {
    cluster,
    denied: () => denied as Pod,
    /** Allows the denied pod only what these rules do; expects all or none of its queries to be answered. */
    async expectWith(egress: readonly NetworkPolicyEgressRule[], server: string, status: "NOERROR" | "no answer") {
      await cluster().kubectl.apply([denying(egress)]);
      const ask = () => statuses(server, status === "no answer" ? silenceSeconds : 10);
      const expected = askedNames.flatMap(() => [status, status]);
      await eventually("the policy to decide", 40, ask, expected);
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

export function itAllowsCacheAndPods(
  { cluster, denied, expectWith }: ReturnType<typeof useDeniedPod>,
  props: ClusterDnsProps,
  server: string,
): void {
  const isCache = async () => {
    const { udp } = await dig(denied(), { server, name: healthZone, type: "TXT", seconds: silenceSeconds });
    return udp.status === "NOERROR";
  };

  // Once it gives no answer, a query may go past the cache, to the pods of the cluster DNS.
  it("with a cache, rules for the pods of the cluster DNS alone do not let a query through to it", async () => {
    await cluster().kubectl.apply([denying(onlyPods(props))]);
    await eventually("the policy to decide", 40, isCache, false);
    await sleep(1000);
    expect(await isCache()).toBe(false);
  });

  it("dnsEgress() does: the cache answers", async () => {
    await expectWith(dnsEgress(props), server, "NOERROR");
    await until("an answer that only the cache has", 40, isCache);
  });

  it("and the cluster DNS while there is no cache", async () => {
    const leave = JSON.stringify({ spec: { template: { spec: { nodeSelector: { "no-such": "node" } } } } });
    await cluster().kubectl.run(["patch", "daemonset", "node-local-dns", "-n", "kube-system", "-p", leave]);
    await until("the end of the cache", 60, async () => !(await isCache()));
    await expectWith(dnsEgress(props), server, "NOERROR");
  });
}

/** What works without a cache, and what most write: the pods of the cluster DNS alone. */
function onlyPods(props: ClusterDnsProps): NetworkPolicyEgressRule[] {
  const isPods = ({ podSelector }: NetworkPolicyPeer) => podSelector?.matchLabels?.["k8s-app"] === "kube-dns";
  return dnsEgress(props).map(({ to, ports }) => ({ to: (to ?? []).filter(isPods), ports }));
}
