import { afterEach, describe, expect, test } from "vitest";
import { agentConfig, listenAddresses, runAgent } from "../../rig/kernel/agent";
import { addresses, Network, sleep } from "../../rig/kernel/network";
import { missingForKernelTests } from "../../rig/kernel/namespace";

// Each answer comes 200 ms late, so that many are on their way when the rules change.
const slowCache = `.:53 {
    bind $LISTEN
    erratic {
        drop 0
        delay 1 200ms
    }
}
`;
const answer = "192.0.2.53";

describe.skipIf(missingForKernelTests() !== undefined)(
  "another interception, while the cache of before still answers",
  () => {
    let network: Network | undefined;
    afterEach(async () => {
      await network?.remove();
      network = undefined;
    });

    // One port for all, because what the kernel remembers of a flow stays for as long as somebody asks.
    test.each(["iptables", "nftables"] as const)(
      "kube-proxy %s: later queries reach the cluster DNS",
      async (kubeProxyMode) => {
        network = await Network.create(kubeProxyMode);
        const before = agentConfig(["IPv4"], { kubeProxyMode, watchdog: false });
        const after = agentConfig(["IPv4"], { kubeProxyMode, watchdog: false, interception: "link-local" });
        await network.startClusterDNS();
        runAgent(network, "node-setup", before);
        await network.startCoreDNS(network.node, listenAddresses(before), slowCache);
        const running = network.load({ server: addresses.IPv4.service, seconds: 3, rate: 100, sourcePort: 5353 });
        await sleep(1500);
        runAgent(network, "node-setup", after);
        const { lost, answers } = await running;
        expect(answers[answer]).toBeGreaterThan(0);
        expect(lost).toBe(0);
      },
    );
  },
);
