import { expect, onTestFinished, test } from "vitest";
import { agentConfig, listenAddresses, runAgent } from "../../rig/kernel/agent";
import { missingForKernelTests } from "../../rig/kernel/namespace";
import { addresses, answeredBy, Network } from "../../rig/kernel/network";
import { sleep } from "../../rig/until";
import { expectNothingLost } from "../expect-lost";

// Each answer is delayed by 200 ms, so that many are under way when the rules change.
const slowCache = `.:53 {
    bind $LISTEN
    erratic {
        drop 0
        delay 1 200ms
    }
}
`;
const answer = "192.0.2.53";

// All queries use one port, because the kernel remembers a flow for as long as it is used.
test.skipIf(missingForKernelTests() !== undefined).each([
  ["iptables", "nftables"],
  ["iptables", "iptables"],
  ["nftables", "nftables"],
] as const)(
  "change of interception while the previous cache still answers: kube-proxy %s, %s rules: later queries reach the cluster DNS",
  async (kubeProxyMode, packetFilter) => {
    const network = await Network.create(kubeProxyMode);
    onTestFinished(() => network.remove());
    const before = agentConfig(["IPv4"], { kubeProxyMode, packetFilter, watchdog: false });
    const after = agentConfig(["IPv4"], { kubeProxyMode, packetFilter, watchdog: false, interception: "link-local" });
    await network.startClusterDNS();
    runAgent(network, "node-setup", before);
    await network.startCoreDNS(network.node, listenAddresses(before), slowCache);
    const asked = { server: addresses.IPv4.service, rate: 100, sourcePort: 5353 };
    const load = await network.load(asked, async () => {
      await sleep(1000);
      runAgent(network, "node-setup", after);
      await sleep(1000);
    });
    expect(load.answers[answer]).toBeGreaterThan(0);
    expect(load.answers[answeredBy.cluster.A]).toBeGreaterThan(0);
    expectNothingLost(load);
  },
);
