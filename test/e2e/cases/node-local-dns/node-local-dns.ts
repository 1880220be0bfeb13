import { expect, it } from "vitest";
import { clusterDns } from "../../../../rig/cluster/addresses";
import { agentImage } from "../../../../rig/cluster/agent-image";
import { service } from "../../../../rig/cluster/objects";
import type { LoadReport } from "../../../../rig/load/report";
import { sleep, until } from "../../../../rig/until";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import type { NodeLocalDnsOptions } from "../../../../src/model/props/node-local-dns";
import { expectLostAtMost, expectNothingLost } from "../../../expect-lost";
import { dig, answered } from "../../lib/dig";
import { argoCd, flux, Commits } from "../../lib/gitops";
import { useCluster, useClient } from "../../lib/use-cluster";
import { bothAnswers, toldLoad } from "../../lib/usual";
import { cacheProcess, killed, ledToCache, metric, onNode } from "../../lib/programs";

const linkLocal = "169.254.20.10";
const cache = { serveStale: { duration: "1h", clusterNames: true } };

/**
 * What happens to answers while the node cache fails, changes and goes away. Each file has one row of the mode table,
 * with its cluster. The tests run in order: one starts where the previous one ended, and each states its start.
 */
export function nodeLocalDns(kubeProxyMode: "iptables" | "nftables", interception: "service-ip" | "link-local"): void {
  const cluster = useCluster({ proxyMode: kubeProxyMode });
  const client = useClient(cluster);
  const controller = kubeProxyMode === "iptables" ? flux : argoCd;
  const begin: NodeLocalDnsOptions = { interception };
  /** The mode that kube-proxy runs in now, as the description says. */
  let mode = kubeProxyMode;
  const commits = new Commits(cluster);

  it("becomes ready with the rest of the DNS, applied to an empty cluster in order", async () => {
    await commit(begin);
    const pods = await cluster().kubectl.list("pods", "kube-system");
    const count = (prefix: string) => pods.filter(({ metadata }) => metadata.name.startsWith(prefix)).length;
    expect([count("coredns-"), count("node-local-dns-watchdog-"), count("node-local-dns-")]).toEqual([2, 2, 4]);
    for (const each of cluster().nodes) await ledToCache(each);
  });

  const cases = { "service-ip": atTheServiceIP, "link-local": atTheLinkLocalAddress };
  cases[interception]();

  function atTheServiceIP(): void {
    itServes(clusterDns.ipv4);
    itLeaves(begin);

    it("is enabled by a new version of the cluster file without losing a query", async () => {
      await commit({ state: "disabled" });
      expectAllAnswered(await during("switched on", clusterDns.ipv4, () => commit(begin)));
    });
  }

  function atTheLinkLocalAddress(): void {
    it("changes from service-ip without losing a query", async () => {
      await commit({ interception: "service-ip" });
      expectAllAnswered(await during("from service-ip to link-local", clusterDns.ipv4, () => commit(begin)));
    });

    itServes(linkLocal);

    it("changes back to service-ip without losing a query at the link-local address", async () => {
      await commit(begin);
      const back = { interception: "service-ip" } as const;
      expectAllAnswered(await during("from link-local to service-ip", linkLocal, () => commit(back)));
      for (const each of cluster().nodes) await ledToCache(each);
    });

    it("drains without losing a query at the link-local address", async () => {
      await commit(begin);
      expectAllAnswered(await during("draining", linkLocal, () => commit({ ...begin, state: "draining" })));
      for (const each of cluster().nodes) expect(await onNode(each)).not.toEqual([]);
    });

    itLeaves({ ...begin, state: "draining" });
  }

  function itServes(server: string): void {
    it("answers instead of the cluster DNS", async () => {
      await enabled(begin);
      const served = () => metric(node(), "cache", /^coredns_dns_requests_total/);
      const before = await served();
      const report = await during("nothing", server, () => sleep(1000));
      expectNothingLost(report);
      // On a busy machine it may stand still for the tenth of a second after which it is passed.
      expect((await served()) - before).toBeGreaterThan(report.sent * 0.8);
    });

    it("loses, when killed, only what the kernel delivers to a process that it is tearing down", async () => {
      await enabled(begin);
      let endedMs = 0;
      const report = await during("SIGKILL", server, async () => {
        endedMs = await killed(await cacheProcess(cluster(), node()));
        await ledToCache(node());
      });
      // 10 ms, or as long as it took on a busy machine, at 500 queries a second
      expectLostAtMost(report, { lost: Math.max(10, endedMs + 5) / 2 });
      expect(report.answers).toEqual(bothAnswers);
    });

    it("is taken out of use while it hangs", async () => {
      await enabled(begin);
      const pid = await cacheProcess(cluster(), node());
      const report = await during("SIGSTOP", server, async () => {
        process.kill(pid, "SIGSTOP");
        // longer than a query waits for its answer, shorter than the kubelet's patience
        await sleep(8000);
        process.kill(pid, "SIGCONT");
        await ledToCache(node());
      });
      // one second of queries
      expectLostAtMost(report, { lost: 500 });
      expect(report.answers).toEqual(bothAnswers);
    });

    it("gets another Corefile without losing a query", async () => {
      await enabled(begin);
      const other = { ...begin, cache: { ...cache, success: { ttl: 20 } } };
      expectAllAnswered(await during("roll", server, () => commit(other)));
    });

    it("keeps answering while kube-proxy changes its mode, followed by the description", async () => {
      await changeMode(kubeProxyMode, begin);
      const other = kubeProxyMode === "iptables" ? "nftables" : "iptables";
      expectAllAnswered(await during(`kube-proxy to ${other}`, server, () => changeMode(other, begin)));
      await changeMode(kubeProxyMode, begin);
    });

    it("answers cached names while the cluster DNS has no pods, and kube-proxy keeps syncing", async () => {
      // On a busy machine, this takes longer than an answer lives.
      await enabled({ ...begin, cache });
      const { kubectl } = cluster();
      const deployment = ["deployment", "coredns", "-n", "kube-system"];
      const before = { failures: await syncFailures(), synced: await lastSync() };
      const ask = () => dig(client(), { server, name: "kubernetes.default.svc.cluster.local" });
      expect(await ask()).toEqual(answered("A 10.96.0.1"));
      try {
        await kubectl.run(["scale", ...deployment, "--replicas=0"]);
        const pods = () => kubectl.list("pods", "kube-system", "k8s-app=kube-dns");
        await until("the end of the cluster DNS", 90, async () => (await pods()).length === 0, 1000);
        await kubectl.apply([service({ name: "meanwhile" })]);
        await until("a sync of kube-proxy", 60, async () => (await lastSync()) > before.synced);
        expect(await syncFailures()).toBe(before.failures);
        expect(await ask()).toEqual(answered("A 10.96.0.1"));
      } finally {
        await kubectl.delete("service", "meanwhile");
        await kubectl.run(["scale", ...deployment, "--replicas=2"]);
        await kubectl.rolledOut("deployment", "coredns", "kube-system");
      }
    });
  }

  function itLeaves(from: NodeLocalDnsOptions): void {
    it("is removed without losing a query at the service IP, and leaves nothing on a node", async () => {
      await commit(from);
      const report = await during("removed", clusterDns.ipv4, async () => {
        await commit({ ...from, state: "removed", removeAfter: "20s" });
        for (const each of cluster().nodes)
          await until(`cleanup of ${each.name}`, 180, async () => (await onNode(each)).length === 0, 2000);
      });
      expectAllAnswered(report);
      await commit({ state: "disabled" });
    });
  }

  function syncFailures(): Promise<number> {
    return metric(node(), "kubeProxy", /^kubeproxy_sync_proxy_rules_(iptables_restore|nftables_sync)_failures_total/);
  }

  const lastSync = () => metric(node(), "kubeProxy", /^kubeproxy_sync_proxy_rules_last_timestamp_seconds/);

  const node = () => cluster().node(1);

  async function enabled(options: NodeLocalDnsOptions): Promise<void> {
    await commit(options);
    await ledToCache(node());
  }

  async function changeMode(to: typeof mode, options: NodeLocalDnsOptions): Promise<void> {
    for (const each of cluster().nodes) if (mode !== to) await each.changeProxyMode(to);
    mode = to;
    await enabled(options);
  }

  /** Brings the cluster to a version of the cluster file. */
  async function commit(options: NodeLocalDnsOptions): Promise<void> {
    const nodeLocalDNS = { cache, ...options };
    const props: ClusterDnsProps = { clusterDNS: [clusterDns.ipv4], kubeProxyMode: mode, agentImage, nodeLocalDNS };
    await commits.commit(controller, props);
  }

  /** Sends 500 queries a second from before the change until after it. */
  function during(what: string, server: string, change: () => Promise<void>): Promise<LoadReport> {
    const told = `kube-proxy in ${kubeProxyMode} mode, ${interception}, ${what}, queried at ${server}`;
    return toldLoad(told, client(), server, change);
  }
}

function expectAllAnswered(report: LoadReport): void {
  expectNothingLost(report);
  expect(report.answers).toEqual(bothAnswers);
}
