import { it } from "vitest";
import { sleep, until } from "../../../../rig/until";
import { foreignLink } from "../../lib/node-faults";
import { expectFired } from "./expect-fired";
import type { Monitored } from "./monitored";
import { argv } from "../../../../rig/argv";
import { spread } from "../../../corefile-text";
import { cacheProcess, ledToCache } from "../../lib/programs";

/** Faults of servers, and of what they depend on. */
export function firesForServers(monitored: Monitored): void {
  const expectFires = (...names: readonly string[]) => expectFired(monitored.prometheus, names);
  const scale = (deployment: string, replicas: number) =>
    monitored.cluster().kubectl.run(argv`scale deployment ${deployment} -n kube-system --replicas=${replicas}`);

  it("fires when the cluster DNS is short of CPU", async () => {
    const pods = await monitored.cluster().kubectl.list("pods", "kube-system", "k8s-app=kube-dns");
    const pids = pods.map((each) => monitored.nodeOf(each).podProcess(each.metadata.uid ?? ""));
    const throttle = async () => {
      for (const pid of pids) process.kill(pid, "SIGSTOP");
      await sleep(80);
      for (const pid of pids) process.kill(pid, "SIGCONT");
    };
    await whileRepeating(throttle, 20, () => expectFires("ClusterDNSLatencyBudgetBurn"));
  });

  it("fires when the webhook gets nonsense, when it is gone, and when pods slip through meanwhile", async () => {
    const { kubectl } = monitored.cluster();
    const [webhook] = await kubectl.list("pods", "kube-system", "k8s-app=cluster-dns-webhook");
    const { podIP = "" } = (webhook?.["status"] ?? {}) as { podIP?: string };
    const nonsense = ["curl", "-sk", "--max-time", "2", "-d", "nonsense", `https://${podIP}:10250/pods`];
    await whileRepeating(
      () => monitored.cluster().controlPlane.attempt(nonsense),
      300,
      () => expectFires("ClusterDNSWebhookErrors"),
    );
    await scale("cluster-dns-webhook", 0);
    try {
      const pods = () => kubectl.list("pods", "kube-system", "k8s-app=cluster-dns-webhook");
      await until("the end of the webhook", 60, async () => (await pods()).length === 0);
      await monitored.createTenantPod("slipped");
      await expectFires("ClusterDNSWebhookDown", "ClusterDNSWebhookFailedOpen", "ClusterDNSPodWithoutTenantDNS");
    } finally {
      await scale("cluster-dns-webhook", 3);
    }
  });

  it("fires when a CoreDNS is missing, then a cache hangs, and the cluster DNS is gone as well", async () => {
    await scale("coredns", 1);
    await expectFires("CoreDNSReplicaDown");
    process.kill(await cacheProcess(monitored.cluster(), monitored.cluster().node(1)), "SIGSTOP");
    await scale("coredns", 0);
    await expectFires(
      "NodeLocalDNSDown",
      "NodeDNSDown",
      "NodeLocalDNSClusterDNSUnreachable",
      "CoreDNSDown",
      "CoreDNSForwardHealthcheckFailureCount",
      "CoreDNSForwardHealthcheckBrokenCount",
      "ClusterDNSErrorBudgetBurn",
    );
  });

  it("fires when CoreDNS comes back without its permissions, and nodes go past their caches", async () => {
    const { kubectl } = monitored.cluster();
    const binding = await kubectl.get("clusterrolebinding", "system:coredns");
    await kubectl.delete("clusterrolebinding", "system:coredns");
    await scale("coredns", 2);
    try {
      await expectFires("CoreDNSKubernetesAPIErrors");
    } finally {
      const { metadata, ...fields } = binding ?? { apiVersion: "", kind: "", metadata: { name: "" } };
      await kubectl.apply([{ ...fields, metadata: { name: metadata.name, labels: metadata.labels ?? {} } }]);
    }
    await kubectl.rolledOut("deployment", "coredns", "kube-system");
    await kubectl.run(["patch", "daemonset", "node-local-dns", "-n", "kube-system", "-p", onlyOn("no-node")]);
    await expectFires("NodeLocalDNSBypassed");
    await kubectl.run(["patch", "daemonset", "node-local-dns", "-n", "kube-system", "-p", onlyOn(null)]);
    await kubectl.rolledOut("daemonset", "node-local-dns", "kube-system");
    for (const node of monitored.cluster().nodes) await ledToCache(node);
  });

  it("fires when upstream servers are slow or fail, and when something removes a node's rules", async () => {
    const { controlPlane } = monitored.cluster();
    await controlPlane.stop("outside-dns");
    controlPlane.startDns("slow-dns", slowCorefile);
    const [first, second] = [monitored.cluster().node(1), monitored.cluster().node(2)];
    try {
      const putBack = await foreignLink(monitored.cluster(), second);
      try {
        for (let time = 0; time < 6; time++) {
          await first.attempt(["nft", "delete", "table", "inet", "node-local-dns"]);
          await sleep(3000);
        }
        await expectFires("NodeLocalDNSRepairs", "NodeLocalDNSRulesNotApplied");
      } finally {
        await putBack();
      }
      await expectFires(
        "CoreDNSLatencyHigh",
        "CoreDNSErrorsHigh",
        "CoreDNSForwardLatencyHigh",
        "CoreDNSForwardErrorsHigh",
      );
    } finally {
      await controlPlane.stop("slow-dns");
      controlPlane.startAgain("outside-dns");
    }
    for (const node of monitored.cluster().nodes) await ledToCache(node);
  });
}

/** Does something again and again, until the other is done. */
async function whileRepeating(act: () => Promise<unknown>, pauseMs: number, check: () => Promise<void>): Promise<void> {
  let isOver = false;
  const acting = (async () => {
    while (!isOver) {
      await act();
      await sleep(pauseMs);
    }
  })();
  try {
    await check();
  } finally {
    isOver = true;
    await acting;
  }
}

/** Upstream servers that answer one zone after a second and a half, and nothing else. */
const slowCorefile = spread(`slow.test { erratic { drop 0; truncate 0; delay 1 1500ms } }
  . { template ANY ANY { rcode SERVFAIL } }`);

/** A patch of a DaemonSet's placement. */
function onlyOn(node: string | null): string {
  return JSON.stringify({ spec: { template: { spec: { nodeSelector: { "kubernetes.io/hostname": node } } } } });
}
