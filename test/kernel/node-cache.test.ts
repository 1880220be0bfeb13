import { afterEach, describe, expect, test } from "vitest";
import { agentConfig, clusterServers, listenAddresses, runAgent, startWatchdog } from "../../rig/kernel/agent";
import { ready } from "../../rig/kernel/metrics";
import { missingForKernelTests, stop } from "../../rig/kernel/namespace";
import { addresses, answeredBy, Network } from "../../rig/kernel/network";
import { hasLink, hasRules, startNodeCache } from "../../rig/kernel/node-cache";
import { loadText } from "../../rig/load/text";
import { sleep } from "../../rig/until";
import { expectAllAnswered, expectLostAtMost } from "../expect-lost";

const cache = answeredBy.cache.A;
const cluster = answeredBy.cluster.A;
const { service } = addresses.IPv4;

describe.skipIf(missingForKernelTests() !== undefined)("upstream's node-cache, without our agent", () => {
  let network: Network;
  afterEach(() => network.remove());
  const answered = async (by: string) => expectAllAnswered(await network.load({ server: service, seconds: 1 }), by);

  test.each(["iptables", "nftables"] as const)(
    "under kube-proxy's %s mode answers, and when terminated leaves the node as it was",
    async (mode) => {
      network = await Network.create(mode);
      await network.startClusterDNS();
      const nodeCache = await startNodeCache(network);
      await answered(cache);
      const load = await network.load({ server: service }, async () => {
        await sleep(500);
        await nodeCache.terminate();
        await sleep(500);
      });
      console.error(mode, loadText(load));
      expectLostAtMost(load, { lost: 200 });
      expect([hasRules(network), hasLink(network)]).toEqual([false, false]);
      await answered(cluster);
    },
  );

  // What docs/failover.md says that it costs.
  test("killed, leaves its rules: nothing answers until it runs again", async () => {
    network = await Network.create("iptables");
    await network.startClusterDNS();
    const nodeCache = await startNodeCache(network);
    let started = 0;
    const load = await network.load({ server: service }, async () => {
      await sleep(500);
      await stop(nodeCache.process, "SIGKILL");
      expect([hasRules(network), hasLink(network)]).toEqual([true, true]);
      await sleep(1000);
      const again = performance.now();
      await startNodeCache(network);
      started = performance.now() - again;
      await sleep(500);
    });
    console.error(`killed, started again after a second in ${started.toFixed(0)} ms:`, loadText(load));
    expect(load.windowMs).toBeGreaterThan(900);
    expect(load.answers[cluster]).toBeUndefined();
    await answered(cache);
  });

  test.each([
    { interception: "service-ip", packetFilter: "nftables" },
    { interception: "service-ip", packetFilter: "iptables" },
    { interception: "link-local", packetFilter: "nftables" },
  ] as const)("to the agent with $interception, $packetFilter: hardly a query is lost", async (change) => {
    network = await Network.create("iptables");
    const config = agentConfig(["IPv4"], change);
    await network.startClusterDNS();
    const nodeCache = await startNodeCache(network);
    // A surge: the new cache starts beside node-cache, which then removes its link.
    const load = await network.load({ server: service }, async () => {
      await sleep(500);
      runAgent(network, "node-setup", config);
      await network.startCache(listenAddresses(config), { clusterDNS: clusterServers(["IPv4"], config) });
      await sleep(500);
      await nodeCache.terminate();
      await sleep(1000);
      startWatchdog(network, config);
      await ready(network);
      await sleep(1000);
    });
    console.error(JSON.stringify(change), loadText(load));
    expectLostAtMost(load, { lost: 100 });
    expect(hasRules(network)).toBe(false);
    await answered(change.interception === "service-ip" ? cache : cluster);
  });

  test.each(["nftables", "iptables"] as const)(
    "from the agent with %s, whose rules stay: answers, and when terminated the cluster DNS does",
    async (packetFilter) => {
      network = await Network.create("iptables");
      const config = agentConfig(["IPv4"], { packetFilter });
      await network.startClusterDNS();
      runAgent(network, "node-setup", config);
      const old = await network.startCache(listenAddresses(config), { clusterDNS: clusterServers(["IPv4"], config) });
      const watchdog = startWatchdog(network, config);
      await ready(network);
      let nodeCache: Awaited<ReturnType<typeof startNodeCache>> | undefined;
      const load = await network.load({ server: service }, async () => {
        await stop(watchdog.process);
        await stop(old);
        await sleep(500);
        nodeCache = await startNodeCache(network);
        await sleep(1000);
      });
      console.error(packetFilter, loadText(load));
      expectLostAtMost(load, { lost: 100 });
      await answered(cache);
      // The node's own processes have the address that they ask.
      for (const protocol of ["udp", "tcp"] as const)
        expectAllAnswered(await network.load({ from: network.node, server: service, protocol, seconds: 0.5 }), cache);
      await nodeCache?.terminate();
      await answered(cluster);
    },
  );
});
