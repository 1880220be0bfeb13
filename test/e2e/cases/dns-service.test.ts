import { beforeAll, describe, expect, it } from "vitest";
import { clusterDns } from "../../../rig/cluster/addresses";
import { deploy } from "../../../rig/cluster/deploy";
import { load } from "../../../rig/load/load";
import { loadText } from "../../../rig/load/text";
import { sleep, until } from "../../../rig/until";
import type { PacketFilter } from "../../../src/model/props/node-local-dns";
import { isAnswered } from "../lib/dig";
import { useCluster, useClient } from "../lib/use-cluster";
import { cacheProcess, ledToCache } from "../lib/programs";
import { facts } from "../lib/usual";

const name = "kubernetes.default.svc.cluster.local";
const proxyMode = "nftables";

const otherPorts = [0, 1].map((i) => ({ op: "replace", path: `/spec/ports/${i}/targetPort`, value: 5353 }));
const mishaps: readonly (readonly [what: string, kubectl: readonly string[]])[] = [
  ["deleted", ["delete", "service", "kube-dns"]],
  ["with another selector", ["patch", "service", "kube-dns", "-p", '{"spec":{"selector":{"k8s-app":"nobody"}}}']],
  ["with other ports", ["patch", "service", "kube-dns", "--type=json", "-p", JSON.stringify(otherPorts)]],
];

// A node's cache and watchdog reach the cluster DNS as pods would without them, only through the Service.
describe.each<PacketFilter>(["nftables", "iptables"])("Service kube-dns, %s rules", (packetFilter) => {
  const cluster = useCluster({ proxyMode });
  const client = useClient(cluster);
  let folder: string;

  beforeAll(async () => {
    // Otherwise the cache would keep answering cached names for longer.
    const nodeLocalDNS = { packetFilter, cache: { success: { ttl: 1 } } };
    folder = await deploy(cluster(), { ...facts, kubeProxyMode: proxyMode, nodeLocalDNS });
    await ledToCache(cluster().node(1));
  });

  const isFound = () => isAnswered(client(), { server: clusterDns.ipv4, name });

  it.each(mishaps)(
    "%s, with all pods replaced meanwhile: names resolve within seconds after a repair",
    async (what, command) => {
      const { kubectl } = cluster();
      const before = await cacheProcess(cluster(), cluster().node(1));
      let healedMs = Infinity;
      const report = await load(client(), { server: clusterDns.ipv4, names: [name], rate: 20 }, async () => {
        await kubectl.run([...command, "-n", "kube-system"]);
        // The cache keeps its connections to pods that no Service selects any longer, as long as the pods live.
        await kubectl.run(["delete", "pods", "-n", "kube-system", "-l", "k8s-app=kube-dns"], { timeoutSeconds: 120 });
        await kubectl.rolledOut("deployment", "coredns", "kube-system");
        await until("an end of all answers", 30, async () => !(await isFound()));
        await kubectl.apply(folder, { serverSide: true, fieldManager: "kubectl" });
        const put = performance.now();
        await until("answers", 60, isFound);
        healedMs = performance.now() - put;
        await sleep(2000);
      });
      console.log(
        `${packetFilter} rules, ${what}: answers ${Math.round(healedMs)} ms after the repair; ${loadText(report)}`,
      );
      expect(healedMs).toBeLessThan(10_000);
      expect(report.queries.slice(-20).map(({ answer }) => answer)).not.toContain(undefined);
      // Without a restart: it is the same cache process.
      expect(await cacheProcess(cluster(), cluster().node(1))).toBe(before);
      await ledToCache(cluster().node(1));
    },
  );
});
