import type { ChildProcess } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentConfig, listenAddresses, runAgent, startWatchdog } from "../../rig/kernel/agent";
import { stop } from "../../rig/kernel/namespace";
import { answeredBy, Network } from "../../rig/kernel/network";
import { startKubeProxy } from "../../rig/vm/kube-proxy";
import { expectAnswers, families, linkLocals } from "./answers";
import { ask } from "./ask";
import { patient } from "./patient";

const cache = answeredBy.cache.A;
const cluster = answeredBy.cluster.A;

describe.each(["nftables", "iptables"] as const)("kube-proxy in ipvs mode, %s", (packetFilter) => {
  const config = agentConfig(families, {
    interception: "link-local",
    kubeProxyMode: "ipvs",
    packetFilter,
    thresholds: patient,
  });
  let network: Network;
  let pristine: string[];
  let running: ChildProcess;
  let watchdog: ChildProcess;
  const startCache = async () => {
    running = await network.startCache(listenAddresses(config), { clusterDNS: config.clusterZone.servers });
  };

  beforeAll(async () => {
    network = await Network.create("none", families);
    await network.startClusterDNS();
    await startKubeProxy(network);
    pristine = everything(network);
  });
  afterAll(() => network.remove());

  // In this order: each begins with what the one before it left.
  test("before there is a cache, the cluster DNS answers", async () => {
    runAgent(network, "node-setup", config);
    expect(network.node.ip("-details link show dev nodelocaldns")).toContain(" dummy ");
    watchdog = startWatchdog(network, config).process;
    await expectAnswers(network, cluster);
  });

  test("the cache answers", async () => {
    await startCache();
    await expectAnswers(network, cache);
  });

  test("killed, the cluster DNS answers, for pods at once", async () => {
    await stop(running, "SIGKILL");
    expect(ask(network.pod, linkLocals)).toEqual([cluster, cluster, cluster, cluster]);
    await expectAnswers(network, cluster);
  });

  test("back, the cache answers", async () => {
    await startCache();
    await expectAnswers(network, cache);
  });

  test("draining, the cluster DNS answers", async () => {
    await stop(watchdog);
    runAgent(network, "node-setup", { ...config, state: "draining" });
    await stop(running);
    await expectAnswers(network, cluster);
  });

  test("removed, nothing is left", () => {
    runAgent(network, "cleanup", { ...config, state: "removed" }, ["--force", "--once"]);
    expect(everything(network)).toEqual(pristine);
  });
});

/** Rules, chains, links and addresses, without counters and the empty tables that iptables leaves in the kernel. */
function everything({ node }: Network): string[] {
  const saved = ["iptables-legacy-save", "ip6tables-legacy-save", "iptables-nft-save", "ip6tables-nft-save"];
  const rules = saved.flatMap((tool) => node.run(tool, []).split("\n")).filter((line) => /^-A |^:\S+ -/.test(line));
  const tables = node.run("nft", ["list", "tables"]).split("\n");
  return [
    ...rules.map((line) => line.replace(/ \[\d+:\d+\]$/, "")),
    ...tables.filter((table) => /^table (inet|arp) /.test(table)),
    ...node.ip("-brief address").split("\n"),
  ];
}
